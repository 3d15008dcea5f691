"""The alarms that say whether work is done."""

from typing import Final

from aws_cdk.aws_cloudwatch import Metric
from aws_cdk.aws_sqs import IQueue

from .alarm import Alarms
from .alarm_metrics import PERIOD, metric, of_function, of_table, sum_of
from .alarms_of_schedules import watch_schedule
from .existing_table import TableOfTasks
from .functions import Functions
from .metrics import FAILED_RUNS, FALLBACK
from .task_metrics import QUEUED

WAITING: Final = 15 * 60_000
"""Milliseconds for which one task in ten that begins to run has been queued."""

BEHIND: Final = 2 * 60_000
"""Milliseconds.  Lambda gives a record of the stream up after an hour."""


def watch_tasks(alarms: Alarms, functions: Functions, table: TableOfTasks, undelivered: IQueue) -> None:
    """Add the alarms of what runs, follows and keeps tasks."""

    def fallback(kind: str) -> Metric:
        return metric(alarms.namespace, FALLBACK, dimensions={FALLBACK: kind})

    runs = metric(alarms.namespace, FAILED_RUNS)
    alarms.add("RunsFail", "Runs of tools failed, for reasons of no tool's own.", runs, threshold=5)
    interrupted = fallback("run_interrupted")
    alarms.add("RunsAreInterrupted", "Runs cannot reach the table, and are repeated.", interrupted, threshold=5)
    starts = fallback("left_to_stream")
    alarms.add("ExecutionsDoNotStart", "Executions were not started, stopped or resumed.", starts, threshold=5)
    alarms.add("ItemsAreUnreadable", "Stored items cannot be read.", fallback("unreadable_item"), threshold=1)
    alarms.add("SweepRepairs", "The sweep finds tasks that the stream left behind.", fallback("swept"), threshold=3)
    queued = metric(alarms.namespace, QUEUED, "p90")
    alarms.add("TasksQueueTooLong", "Tasks wait long for their turn.", queued, threshold=WAITING, periods=3)
    watch_schedule(alarms, "SweepDoesNotRun", "No sweep ends well.", functions.sweep.function)
    age = of_function(functions.on_task_change.function, "IteratorAge", "Maximum")
    alarms.add("StreamIsBehind", "Changes of tasks are handled late.", age, threshold=BEHIND, periods=2)
    waiting = undelivered.metric_approximate_number_of_messages_visible(statistic="Maximum", period=PERIOD)
    alarms.add("DeadLettersWait", "Events were given up.", waiting, threshold=1)
    refused = {
        "reads": of_table(table.name, "ReadThrottleEvents"),
        "writes": of_table(table.name, "WriteThrottleEvents"),
    }
    alarms.add("TableIsThrottled", "DynamoDB refused reads or writes.", sum_of(refused), threshold=10)
