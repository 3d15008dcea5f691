"""What is there that should be gone once everything has ended: tasks, executions, slots, places, items of an inbox."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from local.stack import Stack
from mcp_tasks.adapters.dynamodb.items import count_in, task_of
from mcp_tasks.tasks.transitions import is_final

COUNTED: Final = ("active", "running", "queued", "suspended")
GONE: Final = ("queue", "inbox", "asks")
"""The kinds of items that are only there for a task that has not ended."""

CALM: Final = 900
"""Seconds after which nothing may be left: two sweeps, and the time of an answer that nobody gives."""


def wait_for_calm(stack: Stack) -> list[str]:
    """Return what is left over, once nothing is, or the time is over."""
    until = time.monotonic() + CALM
    while (left := sorted(leftovers(stack))) and time.monotonic() < until:
        time.sleep(5)
    return left


def leftovers(stack: Stack) -> Iterator[str]:
    """Yield a line for each thing that waits for something."""
    dynamodb, states = stack.client("dynamodb"), stack.client("stepfunctions")
    (table,) = dynamodb.list_tables()["TableNames"]
    counted: Counter[str] = Counter()
    for page in dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        for item in page["Items"]:
            yield from _of_item(item)
            counted.update(_counts(item))
    yield from (f"{number} {name}" for name, number in counted.items() if number)
    for machine in states.list_state_machines()["stateMachines"]:
        pages = states.get_paginator("list_executions")
        for page in pages.paginate(stateMachineArn=machine["stateMachineArn"], statusFilter="RUNNING"):
            yield from (f"execution {each['name']} runs" for each in page["executions"])
    waiting = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.outputs["DeadLetterQueue"], AttributeNames=["ApproximateNumberOfMessages"]
    )["Attributes"]["ApproximateNumberOfMessages"]
    if int(waiting):
        yield f"{waiting} dead letters wait"


def _of_item(item: dict[str, Any]) -> Iterator[str]:
    kind = item["SK"]["S"].partition("#")[0]
    name = f"{item['PK']['S']} {item['SK']['S']}"
    if kind == "task" and not is_final(task := task_of(item)):
        yield f"task {name} is {task.state.value}"
    if kind in GONE:
        yield f"{name} is there"


def _counts(item: dict[str, Any]) -> dict[str, int]:
    """Return what a counter says; of a tenant's counters, only the sum has a meaning."""
    kind = item["SK"]["S"].partition("#")[0]
    if kind not in ("quota", "using"):
        return {}
    return {f"{each} of {item['PK']['S']}": count_in(item, each) for each in COUNTED}
