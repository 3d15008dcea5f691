"""Bugs of conditions, limits, steps, leases and what clients carry, and those that only two releases at once show."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from mcp_tasks.adapters import s3
from mcp_tasks.adapters.direct import DirectExecutor
from mcp_tasks.adapters.dynamodb import backlog, items, schema
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory import task_store
from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.memory.held_waits import MemoryHeldWaits
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine import task_host
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.ports.executor import Execution
from mcp_tasks.ports.store import NO_RECORDS
from mcp_tasks.security import encryption, signing
from mcp_tasks.security.encryption import Encryptor
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.tasks import run_lease, transitions
from mcp_tasks.tasks.errors import TaskNotFound, TooManyTasks
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire import refusals
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.rev_2025_11_25 import cancellation
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2026_07_28 import request_state
from tests.simulation.plans import BelievedPlans
from tests.simulation.planted.plant import Change, Plant, always, changing
from tests.simulation.store import RecordingStore
from tests.simulation.traits import RELEASES, TABLE


def _unconditional(write: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: RecordingStore, owner_key: str, before: Any, *more: Any, **named: Any) -> Any:
        return write(self, owner_key, self.read(owner_key, before.id), *more, **named)

    return wrong


def _attributes_alone(put: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, packed: packed.attributes


def _indiscreet(read: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: RecordingStore, owner_key: str, task_id: str) -> Any:
        for owner, task in self.tasks():
            if task.id == task_id and self.lives(task):
                return read(self, owner, task_id)
        raise TaskNotFound(task_id)

    return wrong


def _limited(more: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what creates so many tasks more than the limit, or fewer, and says the right limit."""

    def make(create: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*values: Any, plan: Plan, **named: Any) -> Any:
            try:
                return create(*values, plan=replace(plan, active_tasks=plan.active_tasks + more), **named)
            except TooManyTasks:
                raise TooManyTasks(plan.active_tasks, share=plan.share_of(plan.active_tasks)) from None

        return wrong

    return make


def _saving_always(save: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: MemorySessions, owner_key: str, name: str, attempt: Any, until: Any) -> bool:
        if not save(self, owner_key, name, attempt, until):
            self._deliveries.put(owner_key, name, attempt, until)
        return True

    return wrong


def _with_today_s_key(decrypt: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Encryptor, text: str, **named: Any) -> Any:
        # One that was forged has no label.
        with suppress(ValueError, IndexError, TypeError):
            label = json.loads(signing.decode(text.partition(".")[0]))
            if label[0] != self.keys.current()[0]:
                raise BadSignature
        return decrypt(self, text, **named)

    return wrong


def _without_steps(written: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, replay, task: written(*values, replay=replay and replay._replace(steps={}), task=task)


def _without_records(create: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, records, **named: create(*values, records=NO_RECORDS, **named)


def _whole(share_of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda plan, limit: limit


def _keeping_slot(changes: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, *more: Any) -> Any:
        right = changes(task, *more)
        return {**right, "holding": task.holding} if "holding" in right else right

    return wrong


def _refused(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda request, wait: HttpReply(status=429)


def _full(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda buckets, owner, bucket, count, rate, least=1: buckets._clock.now() + rate.time_for(1)


def _changed(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda error: {**right(error), "reason": "keys_per_day"}


def _renaming(old: str, new: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what writes a field of a document under another name."""
    return lambda write: lambda *values: {new if name == old else name: each for name, each in write(*values).items()}


def _reading(old: str, new: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what reads a field of a document under either name."""
    return lambda read: lambda document: read({old if name == new else name: each for name, each in document.items()})


def _more(number: int) -> int:
    return 8 * number


_REPEATED = "is recorded, and was done again"
_FORGED = "a requestState is accepted"
_STUCK = "nobody broke it off"

BUGS: Final = (
    Plant("writes are not conditional", RecordingStore, "write", _unconditional, "version"),
    Plant("a deleted task counts for ever", RecordingStore, "release", always(None), "has no tasks and is counted"),
    Plant("a task is shown to anybody", RecordingStore, "read", _indiscreet, "discloses|sees|an internal error"),
    Plant("idempotency keys are forgotten", RecordingStore, "_earlier", always(None), "two tasks|led to"),
    Plant(
        "one task more than the quota",
        MemoryTaskStore,
        "create",
        _limited(1),
        "at a time and has",
    ),
    Plant("one task less than the quota", MemoryTaskStore, "create", _limited(-1), "is refused by|is of no plan"),
    Plant(
        "a run that died is taken for one that works",
        DirectExecutor,
        "describe",
        always(Execution.RUNNING),
        "is stuck|nobody worked on it|a sweep left",
    ),
    Plant("two runs begin", run_lease, "is_held", always(False), "hold its lease"),
    Plant("two streams carry a request", MemorySessions, "save_attempt", _saving_always, "on two streams"),
    Plant("two streams carry an update", MemoryTaskStore, "claim", always(True), "on two streams"),
    Plant("a state has no steps", request_state, "written", _without_steps, _REPEATED),
    Plant("a state is no key", request_state, "read", changing(key=None), "one requestState led to"),
    Plant("a state dies with its key", Encryptor, "decrypt", _with_today_s_key, "is rejected before its time"),
    Plant("a state lives for ever", encryption, "is_over", always(False), f"{_FORGED} after its time"),
    Plant("a state is anybody's", encryption, "_context", always(b""), "another client's|sees what is|sees task"),
    Plant("a state is any call's", request_state, "_digest", always(""), f"{_FORGED} that is another call's"),
    Plant("a task forgets the steps of its call", InlineJournal, "initial_state", changing(steps={}), _REPEATED),
    Plant(
        "a task forgets its client's answers", InlineJournal, "initial_state", changing(responses={}), "nobody broke"
    ),
    Plant("a task is created without records", MemoryTaskStore, "create", _without_records, f"{_REPEATED}|{_STUCK}"),
    Plant("a slot is kept by who is asked", transitions, "_changes_suspending", _keeping_slot, "is stuck"),
    Plant("nobody hears that a slot is free", TaskOperations, "start_queued", always(None), "is stuck"),
    Plant(
        "a subject takes all slots",
        Plan,
        "share_of",
        _whole,
        "_tasks at a time|is of no plan",
    ),
    Plant("a suspended tenant is served", BelievedPlans, "of", changing(suspended=False), "and is served"),
    Plant("a stream is refused", refusals, "later", _refused, "a resumed stream is refused"),
    Plant("a bucket is never empty", MemoryBuckets, "take", always(None), "and gives [1-9]"),
    Plant("a bucket is always empty", MemoryBuckets, "take", _full, "and gives 0|are left"),
    Plant("another limit is named", refusals, "described", _changed, "which was not reached|is of no plan"),
    Plant("however many wait for input", task_store, "check_waiting", always(None), "wait for input"),
    Plant("a wait is held for ever", MemoryHeldWaits, "end", always(None), "waits, and gets None"),
    Plant("a run ticket is good for ever", signing, "is_over", always(False), "is over, and may"),
    Plant("a run writes when its task has ended", task_host, "_check", always(None), "is over, and may"),
    Plant("a call is given up in vain", cancellation, "cancel_task", always(None), "was given up, and goes on"),
    Plant(
        "one task more than the quota, in the table", DynamoTaskStore, "create", _limited(1), "at a time and has", TABLE
    ),
    Plant(
        "an object is not put",
        s3.Payloads,
        "put",
        _attributes_alone,
        "an internal error without a fault|is stuck|is damaged",
        TABLE,
    ),
    Plant("values of a task share an object", s3, "_digest", always("same"), "with wrong arguments|says", TABLE),
    # What only two releases at once show: alone, either of them is right.
    Plant(
        "a schema version is raised without need",
        schema.SCHEMAS,
        "task",
        lambda version: version + 1,
        "internal error|is stuck|was interrupted by",
        RELEASES,
    ),
    Plant(
        "the release before misreads an input request",
        items,
        "document_of_request",
        _renaming("key", "name"),
        "internal error|is stuck|is not stopped|was interrupted by",
        RELEASES,
        (Change(items, "input_request_of", _reading("key", "name")),),
    ),
    Plant(
        "the release before looks at one shard in eight",
        items,
        "LIVE_SHARDS",
        _more,
        "is stuck|goes on|a sweep left",
        RELEASES,
        (Change(backlog, "LIVE_SHARDS", _more),),
    ),
)
