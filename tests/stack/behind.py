"""What a test sees of the stack that its callers do not."""

from collections.abc import Iterator
from typing import Any

from local.stack import Stack


def execution(stack: Stack, task_id: str) -> dict[str, Any] | None:
    """Return the execution of a task, on whichever machine."""
    states = stack.client("stepfunctions")
    for machine in states.list_state_machines()["stateMachines"]:
        for execution in states.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]:
            if execution["name"] == task_id:
                return dict(execution)
    return None


def execution_status(stack: Stack, task_id: str) -> str | None:
    """Return the status of the execution of a task; None if there is none."""
    found = execution(stack, task_id)
    return str(found["status"]) if found else None


def function(stack: Stack, name: str) -> str:
    """Return the deployed name of the function in `functions/<name>`."""
    (found,) = (
        each["FunctionName"]
        for each in stack.client("lambda").list_functions()["Functions"]
        if each["Handler"] == f"functions.{name}.handler.handler"
    )
    return str(found)


def payloads(stack: Stack, task_id: str) -> list[int]:
    """Return the sizes of the objects that keep what is too large for the table."""
    pages = stack.client("s3").get_paginator("list_objects_v2").paginate(Bucket=stack.outputs["PayloadBucket"])
    return [each["Size"] for page in pages for each in page.get("Contents", []) if task_id in each["Key"]]


def complaints(stack: Stack) -> Iterator[str]:
    """Return what the emulator and the functions logged as errors so far."""
    for line in stack.emulator.log.read_text(errors="replace").splitlines():
        if " ERROR " in line or "Traceback" in line:
            yield line
    logs = stack.client("logs")
    for group in logs.describe_log_groups()["logGroups"]:
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"])
        for event in (event for page in pages for event in page["events"]):
            if _complains(event["message"]):
                yield f"{event['logStreamName']} {event['timestamp']} {event['message']}"


def _complains(message: str) -> bool:
    # An authorizer refuses by an exception, which Lambda's runtime logs as it logs all others.
    return ('"level":"ERROR"' in message or "[ERROR]" in message) and "Exception: Unauthorized" not in message
