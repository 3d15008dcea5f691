"""Helpers that look inside the deployed stack: executions, invocations, processes, logs, and faults to inject."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from local.records import records
from local.stack import Stack
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.lease import DynamoLease
from mcp_tasks.adapters.dynamodb.table import Table
from tests.timeout import until

CALM_SECONDS = 1


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
    return str(_functions(stack)[name]["FunctionName"])


def folders(stack: Stack) -> list[str]:
    """Return the names of the folders of all functions."""
    return sorted(_functions(stack))


def live(name: str) -> str:
    """Return a function's name with its alias."""
    return f"{name}:live"


def invocations(stack: Stack) -> Counter[str]:
    """Return how many times each function was called so far, by the name of its folder."""
    logs = stack.client("logs").get_paginator("filter_log_events")
    counted: Counter[str] = Counter()
    for name, configuration in _functions(stack).items():
        # Lambda's own line, at the beginning of each call; a function says no such thing.
        group = configuration["LoggingConfig"]["LogGroup"]
        pages = logs.paginate(logGroupName=group, filterPattern='"START RequestId"')
        counted[name] = sum(len(page["events"]) for page in pages)
    return counted


def invocations_when_idle(stack: Stack) -> Counter[str]:
    """Return the number of invocations of each function once none was added for `CALM_SECONDS`."""
    counted, since = invocations(stack), time.monotonic()

    def calm() -> bool:
        nonlocal counted, since
        now = invocations(stack)
        if now != counted:
            counted, since = now, time.monotonic()
        return time.monotonic() - since >= CALM_SECONDS

    until(calm)
    return counted


def processes(stack: Stack) -> Mapping[int, str]:
    """Return the processes in which functions are kept warm, and whose they are."""
    listed = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,pgid=,args="], capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    ours = {int(pid): args for pid, group, args in rows if int(group) == stack.emulator.process.pid}
    return {
        pid: args.split("functions.")[1].split(".")[0] for pid, args in ours.items() if "local.lambda_runtime" in args
    }


def kill_functions(stack: Stack) -> set[str]:
    """Kill every process of every function, and return whose they were."""
    found = processes(stack)
    for process in found:
        os.kill(process, signal.SIGKILL)
    # Meanwhile one that is called, by the clock for example, has a new process.
    until(lambda: found.keys().isdisjoint(processes(stack)))
    # The emulator would send each of the dead ones one more invocation; Lambda sends it to another one.
    stack.emulator.renew_functions()
    return set(found.values())


def payloads(stack: Stack, task_id: str) -> list[int]:
    """Return the sizes of the objects that keep what is too large for the table."""
    pages = stack.client("s3").get_paginator("list_objects_v2").paginate(Bucket=stack.outputs["PayloadBucket"])
    return [each["Size"] for page in pages for each in page.get("Contents", []) if task_id in each["Key"]]


def failures(stack: Stack, task_id: str) -> list[str]:
    """Return the names of the errors that the states of a task's execution met so far."""
    found = execution(stack, task_id)
    if found is None:
        return []
    history = stack.client("stepfunctions").get_execution_history(executionArn=found["executionArn"])["events"]
    return [event["taskFailedEventDetails"]["error"] for event in history if event["type"] == "TaskFailed"]


@contextmanager
def without_table_stream(stack: Stack) -> Iterator[None]:
    """Disable the table's stream, so that no change reaches a function."""
    lambdas = stack.client("lambda")
    (mapping,) = lambdas.list_event_source_mappings()["EventSourceMappings"]
    lambdas.update_event_source_mapping(UUID=mapping["UUID"], Enabled=False)
    try:
        yield
    finally:
        lambdas.update_event_source_mapping(UUID=mapping["UUID"], Enabled=True)


@contextmanager
def stream_read_elsewhere(stack: Stack) -> Iterator[None]:
    """Hold the lease of who reads the table's stream, so that those who wait read their tasks."""
    (name,) = stack.client("dynamodb").list_tables()["TableNames"]
    table = Table(client=stack.client("dynamodb"), name=name, clock=SystemClock())
    lease = DynamoLease(table=table, name="tail", term=timedelta(hours=1))
    until(lambda: lease.take("another process"), within=120, pause=0.2)
    yield
    lease.give_back("another process")


@contextmanager
def without_concurrency(stack: Stack, name: str) -> Iterator[None]:
    """Reserve a concurrency of 0 for the function in `functions/<name>`, so that each invocation is throttled."""
    lambdas, deployed = stack.client("lambda"), function(stack, name)
    lambdas.put_function_concurrency(FunctionName=deployed, ReservedConcurrentExecutions=0)
    try:
        yield
    finally:
        lambdas.delete_function_concurrency(FunctionName=deployed)


def fallbacks(stack: Stack) -> Counter[str]:
    """Return how often each fallback was used so far, by the names in the log."""
    return Counter(each["fallback"] for each in records(stack.client("logs")) if "fallback" in each)


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


def _functions(stack: Stack) -> Mapping[str, Any]:
    """Return what is configured of each deployed function, by the name of its folder."""
    listed = stack.client("lambda").list_functions()["Functions"]
    return {each["Handler"].split(".")[1]: each for each in listed}


def _complains(message: str) -> bool:
    if not message.startswith("{"):
        return "[ERROR]" in message
    record = json.loads(message)
    # Lambda's runtime calls it `log_level` where a handler raised, as an authorizer does to refuse, and a run that has
    # suspended its task.
    is_error = "ERROR" in (record.get("level"), record.get("log_level"))
    return is_error and record.get("errorMessage") != "Unauthorized" and record.get("errorType") != "TaskSuspended"
