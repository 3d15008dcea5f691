"""The metrics of tasks, from what the table's stream tells of each (`mcp_tasks/engine/task_events.py`)."""

from typing import Any, Final

from aws_cdk.aws_lambda import Function
from aws_cdk.aws_logs import FilterPattern

from .endpoint_metrics import PLAN, TOOL
from .metrics import has_number, publish, says

EVENTS, TASKS, QUEUED, RECONCILED = "task_events", "tasks", "task_queued", "reconciled"
AUDIT_BROKEN, AUDIT_UNPROVEN = "audit_broken", "audit_unproven"
RUNNING: Final = "task_running"
TIMES: Final = {QUEUED: "queued_ms", RUNNING: "running_ms", "task_suspended": "suspended_ms"}
WHOLE: Final = {"task_duration": "duration_ms"}


def publish_tasks(function: Function, namespace: str) -> None:
    """Publish what happens to tasks, what becomes of them, and how long each phase of them took."""
    made: dict[str, Any] = {"namespace": namespace}
    happened, exists = FilterPattern.string_value("$.event", "=", "task.*"), FilterPattern.exists
    publish(function, "Events", EVENTS, happened, by={"event": "event"}, **made)
    # A task of release 0.3 names no plan.
    for dimension, whose in ((TOOL, "tool"), (PLAN, "plan")):
        ended = FilterPattern.all(happened, exists(f"$.{whose}"), exists("$.outcome"))
        publish(function, f"Tasks_{whose}", TASKS, ended, by={dimension: whose, "outcome": "outcome"}, **made)
        for name, field in {**TIMES, **WHOLE}.items():
            timed = FilterPattern.all(happened, exists(f"$.{whose}"), has_number(field))
            publish(function, f"Time_{name}_{whose}", name, timed, of=field, by={dimension: whose}, **made)
    # Whatever the tool.
    publish(function, "Time", QUEUED, FilterPattern.all(happened, has_number(TIMES[QUEUED])), of=TIMES[QUEUED], **made)


def publish_sweeps(function: Function, namespace: str) -> None:
    """Publish how many tasks each sweep had to go on with."""
    found = has_number(RECONCILED)
    publish(function, "Reconciled", RECONCILED, found, of=RECONCILED, namespace=namespace)


def publish_anchors(function: Function, namespace: str) -> None:
    """Publish that audit records are missing, or are not as they were written, and that some may be anybody's."""
    publish(function, "Broken", AUDIT_BROKEN, says(AUDIT_BROKEN), namespace=namespace)
    publish(function, "Unproven", AUDIT_UNPROVEN, says(AUDIT_UNPROVEN), namespace=namespace)
