"""20,000 messages break nothing, and none costs too much; what they would break is found."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from mcp_tasks.adapters.memory import task_store
from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.limits import Limits
from tests.fuzz.fuzzer import BATCH, MOST_MICROSECONDS, Broken, Tally, fuzz
from tests.revisions import REVISIONS

MESSAGES = 20_000
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("revision", REVISIONS)
def test_no_message_breaks_the_server(revision: str, part: int) -> None:
    batches = MESSAGES // (BATCH * PARTS * len(REVISIONS))
    tally = Tally()
    for batch in range(part * batches, (part + 1) * batches):
        tally += fuzz(revision, batch)

    assert len(tally.costs) == batches * BATCH
    # A quarter of the valid ones, and some others, reach what they ask for: their names and values mean something.
    valid = sum(count for (kind, _), count in tally.answers.items() if kind == "valid")
    assert tally.answers["valid", "200"] > 0.25 * valid
    assert tally.answers["nearly valid", "200"] > len(tally.costs) / 50


def test_a_batch_is_the_same_each_time() -> None:
    revision = max(REVISIONS)

    assert fuzz(revision, 7).answers == fuzz(revision, 7).answers


def _fails(method: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Any, *values: Any, **named: Any) -> Any:
        raise RuntimeError("planted")

    return wrong


def _wastes(method: Callable[..., Any]) -> Callable[..., Any]:
    def slow(self: Any, *values: Any, **named: Any) -> Any:
        until = time.process_time() + 2 * MOST_MICROSECONDS / 1e6
        while time.process_time() < until:
            pass
        return method(self, *values, **named)

    return slow


def _permits(check: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, **named: None


def _on_credit(take: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, owner, bucket, count, rate, least=1: take(self, owner, bucket, count, rate)


PLANTED = {
    "an internal error": (TaskService, "get", _fails, "internal errors"),
    "a message that costs too much": (TaskService, "get", _wastes, "cost too much"),
    "more tasks than the plan allows": (MemoryTaskStore, "_check_active", _permits, "live tasks are stored"),
    "more suspended tasks": (task_store, "check_waiting", _permits, "wait for input"),
    "more bytes": (task_store, "check_bytes", _permits, "bytes are stored"),
    "more bytes in a day": (MemoryBuckets, "take", _on_credit, "in 1.00 days"),
    "longer arguments": (Limits, "_check_size", _permits, "arguments of .* bytes"),
}


@pytest.mark.parametrize("bug", PLANTED)
@pytest.mark.parametrize("revision", REVISIONS)
def test_what_messages_break_is_found(revision: str, bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, make, found = PLANTED[bug]
    monkeypatch.setattr(place, name, make(getattr(place, name)))

    with pytest.raises(Broken, match=found):
        [fuzz(revision, batch) for batch in range(20)]
