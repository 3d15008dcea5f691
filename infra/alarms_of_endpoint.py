"""The alarms that say whether users are served."""

from typing import Final

from aws_cdk.aws_apigateway import RestApi

from .alarm import Alarms
from .alarm_metrics import PERIOD, metric, of_function, sum_of
from .endpoint_metrics import INTERNAL_ERRORS, KEYS_NOT_FETCHED, OWN_TIME
from .functions import Functions

SLOW: Final = 3_000
"""Milliseconds.  An answer of a new process takes a third of that."""

WATCHED: Final = (
    *("authorize", "serve_mcp", "await_task", "run_inline", "host_run", "on_task_change", "record_outcome"),
    *("suspend_task", "report_progress", "sweep"),
)
"""Whose throttles are no limit that the stage has set, as are those of runs, which wait; an expression takes ten."""


def watch_endpoint(alarms: Alarms, functions: Functions, rest: RestApi) -> None:
    """Add the alarms of the API and of the functions that it cannot do without."""
    name = alarms.namespace
    failed = rest.metric_server_error(statistic="Sum", period=PERIOD)
    alarms.add("EndpointFails", "Clients were answered with 5xx.", failed, threshold=5)
    errors = metric(name, INTERNAL_ERRORS)
    alarms.add("InternalErrors", "Requests failed for reasons of the server's own.", errors, threshold=1)
    times = metric(name, OWN_TIME, "p99")
    alarms.add("AnswersAreSlow", "Requests that wait for nothing take seconds.", times, threshold=SLOW, periods=3)
    fetches = metric(name, KEYS_NOT_FETCHED)
    alarms.add("KeysAreNotFetched", "The keys of an issuer cannot be fetched.", fetches, threshold=3)
    built = {name: getattr(functions, name) for name in WATCHED}
    throttles = {name: of_function(each.function, "Throttles") for name, each in built.items() if each is not None}
    alarms.add("FunctionsAreThrottled", "Lambda refused invocations.", sum_of(throttles), threshold=10)
