"""The rows of the dashboard: each asks one question, and answers it by some graphs."""

from collections.abc import Iterable, Mapping, Sequence

from aws_cdk.aws_apigateway import RestApi
from aws_cdk.aws_cloudwatch import GraphWidget, IMetric, IWidget
from aws_cdk.aws_lambda import Function, IFunction
from aws_cdk.aws_sqs import IQueue

from .alarm_metrics import PERIOD, by, metric, of_function, of_table
from .endpoint_metrics import DURATION, ERRORS, INTERNAL_ERRORS, METHOD, OWN_TIME, PLAN, REFUSALS, TOOL, WOKEN_AFTER
from .metrics import FAILED_RUNS, FALLBACK
from .task_metrics import QUEUED, RUNNING, TASKS, TIMES, WHOLE

Widgets = Sequence[IWidget]


def served(name: str, rest: RestApi) -> Widgets:
    """Are users served?"""
    times = [metric(name, OWN_TIME, statistic) for statistic in ("p50", "p99")]
    failed = rest.metric_server_error(statistic="Sum", period=PERIOD, label="5xx")
    return [
        _graph("Requests, by method", [by(name, DURATION, METHOD, statistic="SampleCount")]),
        _graph("Answers that wait for nothing, ms", times),
        _graph(
            "Waits: how long after a task's end, 90 % of them, ms", [by(name, WOKEN_AFTER, "woken_by", statistic="p90")]
        ),
        _graph("Errors, by code", [by(name, ERRORS, "code"), metric(name, INTERNAL_ERRORS), failed]),
    ]


def worked(name: str, changes: IFunction, undelivered: IQueue) -> Widgets:
    """Is work done?"""
    phases = [by(name, each, TOOL, statistic="p90") for each in (*TIMES, *WHOLE)]
    waiting = undelivered.metric_approximate_number_of_messages_visible(statistic="Maximum", period=PERIOD)
    failed = metric(name, FAILED_RUNS)
    behind = [metric(name, QUEUED, "p90"), of_function(changes, "IteratorAge", "Maximum")]
    return [
        _graph("Tasks that finished, by tool and outcome", [by(name, TASKS, "outcome", TOOL)]),
        _graph("How long their phases took, 90 % of them, ms", phases),
        _graph("Late: turns of tasks, changes of the table, ms", behind),
        _graph("Failed runs, fallbacks, dead letters", [failed, by(name, FALLBACK, FALLBACK), waiting]),
    ]


def refused(name: str, rest: RestApi, functions: Mapping[str, Function]) -> Widgets:
    """Who is refused?"""
    gateway = rest.metric_client_error(statistic="Sum", period=PERIOD, label="4xx, the server's own among them")
    throttled = [of_function(each, "Throttles") for each in functions.values()]
    return [
        _graph("Requests, by limit and plan", [by(name, REFUSALS, PLAN, "reason")]),
        _graph("Tokens, by reason", [by(name, REFUSALS, "reason")]),
        _graph("By the gateway", [gateway]),
        _graph("Invocations, by Lambda", throttled),
    ]


def costs(name: str, rest: RestApi, table: str, functions: Mapping[str, Function], machines: Iterable[str]) -> Widgets:
    """What does it cost, and by which tools and plans?"""
    units = [of_table(table, f"Consumed{kind}CapacityUnits") for kind in ("Read", "Write")]
    started = [metric("AWS/States", "ExecutionsStarted", dimensions={"StateMachineArn": each}) for each in machines]
    groups = [each.log_group.log_group_name for each in functions.values()]
    logged = [metric("AWS/Logs", "IncomingBytes", dimensions={"LogGroupName": each}) for each in groups]
    return [
        _graph("Requests of the gateway, executions", [rest.metric_count(statistic="Sum", period=PERIOD), *started]),
        _graph("Units of the table", units),
        _graph("Time of functions, ms", [of_function(each, "Duration") for each in functions.values()]),
        _graph("Bytes of logs", logged),
        _graph("Time of the endpoint, by tool, ms", [by(name, DURATION, METHOD, TOOL)]),
        _graph("Time of the endpoint, by plan, ms", [by(name, DURATION, PLAN)]),
        _graph("Time of runs, by tool, ms", [by(name, RUNNING, TOOL)]),
    ]


def _graph(title: str, metrics: Iterable[IMetric]) -> IWidget:
    return GraphWidget(title=title, left=list(metrics), width=6)
