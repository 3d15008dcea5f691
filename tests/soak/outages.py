"""Outages of AWS's services, short and long, alone and of a pair; and how soon tasks go on after each."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import combinations, product
from random import Random
from typing import Final, NamedTuple

from local.stack import Stack
from mcp_tasks.adapters.dynamodb.items import task_of
from mcp_tasks.tasks.model import State
from tests.stack.internals import folders, without_concurrency, without_table_stream

TABLE, STATES, LAMBDA, STREAM, S3 = SERVICES = ("dynamodb", "states", "lambda", "dynamodbstreams", "s3")
SECONDS: Final = (45, 300)
SHARE: Final = 0.6
"""How much of a run is outages at the most: the rest is other faults, and the time to recover."""

LONGEST_RECOVERY: Final = 600.0


class Outage(NamedTuple):
    """The services that are away, and for how many seconds."""

    services: tuple[str, ...]
    seconds: int

    def __str__(self) -> str:
        return f"outage of {' and '.join(self.services)} for {self.seconds} s"


def drawn(minutes: float, random: Random) -> list[Outage]:
    """Return outages for a run: each service and a pair for each length, or as many of them as there is time for."""
    away = [*((each,) for each in SERVICES), random.choice(list(combinations(SERVICES, 2)))]
    every = [Outage(*each) for each in product(away, SECONDS)]
    random.shuffle(every)
    left, found = SHARE * minutes * 60, list[Outage]()
    for each in every:
        if each.seconds <= left:
            found.append(each)
            left -= each.seconds
    return found


@contextmanager
def away(stack: Stack, services: Sequence[str]) -> Iterator[None]:
    """Have services be away: without Lambda nothing is invoked, and without the stream no change arrives."""
    with ExitStack() as stopped:
        if LAMBDA in services:
            for name in folders(stack):
                stopped.enter_context(without_concurrency(stack, name))
        if STREAM in services:
            stopped.enter_context(without_table_stream(stack))
        stopped.enter_context(stack.emulator.without([each for each in services if each != LAMBDA]))
        yield


def recovered(stack: Stack) -> float | None:
    """Return after how many seconds from now each task has gone on that is at work; None if that takes too long."""
    began, stuck = time.monotonic(), at_work(stack)
    while stuck and time.monotonic() < began + LONGEST_RECOVERY:
        time.sleep(1)
        stuck &= at_work(stack)
    return None if stuck else time.monotonic() - began


def at_work(stack: Stack) -> set[tuple[str, int]]:
    """Return the tasks that are to be worked on now, with their versions."""
    dynamodb = stack.client("dynamodb")
    (table,) = dynamodb.list_tables()["TableNames"]
    pages = dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    items = [item for page in pages for item in page["Items"] if item["SK"]["S"].startswith("task#")]
    now = datetime.now(UTC)
    working = [task for task in map(task_of, items) if task.state is State.WORKING]
    return {(task.id, task.version) for task in working if task.wakes_at is None or task.wakes_at < now}
