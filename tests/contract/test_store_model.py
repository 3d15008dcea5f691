"""The store in memory and the store on DynamoDB, compared through random sequences of operations."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.ports.store import InitialRecords, TaskStore
from mcp_tasks.tasks.errors import TaskError
from mcp_tasks.tasks.events import (
    CancelRequested,
    EndExpected,
    Event,
    Finished,
    InputReceived,
    InputRequested,
    Progressed,
    Resumed,
    StatusReported,
    Suspended,
)
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import Failed, InputRequest, InputResponse, Progress, Returned, Task
from mcp_tasks.tasks.transitions import advance, is_final
from tests.cloud import BUCKET, TABLE, cloud, scan
from tests.dynamodb.twin import Twin
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task, plan_of

LIMIT = 5
"""Of tasks at a time; not a multiple of the number of counters that it is split over."""

owner_keys = st.sampled_from([ADA.owner_key, BOB.owner_key, EVE.owner_key])
keys = st.none() | st.builds(IdempotencyKey, name=st.sampled_from("ab"), fingerprint=st.sampled_from("fg"))
records = st.sampled_from(
    [InitialRecords(), InitialRecords(steps={"x": 8}, responses={"p": InputResponse(error={"code": 1})})]
)
sessions = st.sampled_from([None, "s", "t"])
events = st.sampled_from(
    [
        Progressed(progress=Progress(progress=1, message="on the way")),
        StatusReported(status_message="nearly there"),
        EndExpected(expected_at=NOON),
        InputRequested(input_requests=tuple(InputRequest(key=key, method="roots/list", params={}) for key in "pq")),
        Suspended(task_token="one"),
        Suspended(task_token="two"),
        InputReceived(responses={"p": InputResponse(result={"n": 1})}),
        InputReceived(responses={"q": InputResponse()}),
        Resumed(responses={"p": InputResponse(result={"n": 2}), "q": InputResponse(result={"n": 3})}),
        Finished(outcome=Returned(result={"content": []})),
        Finished(outcome=Failed(code=-32603, message="broken", data={"why": 1})),
        CancelRequested(status_message="enough"),
    ]
)


class Stores(RuleBasedStateMachine):
    """Calls both stores and compares the results; `known` has every version that a task ever had."""

    known: Bundle[tuple[str, Task]] = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.aws = self.open.enter_context(cloud())
        self.clock = FixedClock()
        self.numbers = count()
        self.memory = MemoryTaskStore(self.clock)
        table = Table(client=Twin(self.aws.dynamodb), name=TABLE, clock=self.clock)
        self.dynamo = DynamoTaskStore(table=table, payloads=Payloads(client=lambda: self.aws.s3, bucket=BUCKET))
        self.backlog = DynamoBacklog(table=table)

    def teardown(self) -> None:
        self.open.close()

    @rule(
        target=known,
        owner_key=owner_keys,
        key=keys,
        minutes=st.sampled_from([1, 5, 3_000]),
        session=sessions,
        records=records,
    )
    def create(
        self, owner_key: str, key: IdempotencyKey | None, minutes: int, session: str | None, records: InitialRecords
    ) -> Any:
        # Ids by number: hypothesis has to be able to repeat what it did.
        number = next(self.numbers)
        task = a_task(self.clock.now(), id=f"{number:036}", ttl=timedelta(minutes=minutes), session=session)
        created = self.both(
            lambda store: store.create(owner_key, task, {"n": number}, key=key, plan=plan_of(LIMIT), records=records)
        )
        return (owner_key, created) if isinstance(created, Task) else multiple()

    @rule(target=known, known=known, event=events)
    def write(self, known: tuple[str, Task], event: Event) -> Any:
        owner_key, before = known
        try:
            after = replace(advance(before, event, now=self.clock.now()), version=before.version + 1)
        except TaskError:
            return multiple()
        outcome = event.outcome if isinstance(event, Finished) else None
        responses = event.responses if isinstance(event, InputReceived | Resumed) else {}
        rejection = self.both(lambda store: store.write(owner_key, before, after, outcome, responses))
        return (owner_key, after) if rejection is None else multiple()

    @rule(known=known, step=st.sampled_from("xy"), value=st.integers(0, 9))
    def record(self, known: tuple[str, Task], step: str, value: int) -> None:
        owner_key, task = known
        self.both(lambda store: store.record(owner_key, task, step, value))

    @rule(known=known)
    def claim(self, known: tuple[str, Task]) -> None:
        owner_key, task = known
        self.both(lambda store: store.claim(owner_key, task, "s"))

    @rule(known=known, minutes=st.integers(0, 10))
    def postpone(self, known: tuple[str, Task], minutes: int) -> None:
        owner_key, task = known
        for backlog in (self.memory, self.backlog):
            backlog.postpone(owner_key, task.id, self.clock.now() + timedelta(minutes=minutes))

    @rule(duration=st.sampled_from([timedelta(microseconds=1), timedelta(seconds=40), timedelta(hours=24)]))
    def advance(self, duration: timedelta) -> None:
        self.clock.advance(duration)

    @rule(known=consumes(known))
    def discard(self, known: tuple[str, Task]) -> None:
        """Delete a task, as the sweep does, and deliver the change twice, as the stream may."""
        owner_key, task = known
        live = f"task#{task.id}" in {item["SK"]["S"] for item in scan(self.aws.dynamodb) if "liveShard" in item}
        for backlog in (self.memory, self.backlog):
            backlog.discard(owner_key, task.id)
        if live and task.expires_at <= self.clock.now():
            self.dynamo.release(owner_key, task.id)
            self.dynamo.release(owner_key, task.id)

    @rule(known=known)
    def read(self, known: tuple[str, Task]) -> None:
        owner_key, task = known
        self.both(lambda store: store.read(owner_key, task.id))
        self.both(lambda store: store.arguments(owner_key, task.id))
        self.both(lambda store: store.outcome(owner_key, task.id))
        self.both(lambda store: store.recall(owner_key, task.id, "x"))
        for key in "pq":
            self.both(partial(_input_response, owner_key, task.id, key))

    @rule(owner_key=owner_keys, session=st.sampled_from("st"))
    def awaiting_input(self, owner_key: str, session: str) -> None:
        self.both(lambda store: list(store.awaiting_input(owner_key, session)))

    @rule(owner_key=owner_keys, limit=st.integers(1, 3))
    def page_through(self, owner_key: str, limit: int) -> None:
        before = None
        while page := self.both(partial(_page, owner_key, before, limit)):
            before = page[-1].id

    @rule(limit=st.integers(1, 5))
    def due(self, limit: int) -> None:
        def times(found: Any) -> list[Any]:
            return [self.memory._records[at].check_at for at in found]

        # Tasks that are due at the same moment may come in any order.
        assert times(self.backlog.due(limit=limit)) == times(self.memory.due(limit=limit))

    @invariant()
    def counts_what_is_live(self) -> None:
        live = sum(not is_final(record.task) for record in self.memory._records.values())
        counted = [int(item["active"]["N"]) for item in scan(self.aws.dynamodb) if "active" in item]

        assert sum(counted) == live
        assert min(counted, default=0) >= 0

    def both(self, act: Callable[[Any], Any]) -> Any:
        """Return what both return, or the error that both raise."""
        answers = [_answer(act, store) for store in (self.memory, self.dynamo)]
        assert answers[0] == answers[1]
        return answers[0]


def _page(owner_key: str, before: str | None, limit: int, store: TaskStore) -> Sequence[Task]:
    return store.page(owner_key, before=before, limit=limit)


def _input_response(owner_key: str, task_id: str, key: str, store: TaskStore) -> InputResponse | None:
    return store.response(owner_key, task_id, key)


def _answer(act: Callable[[Any], Any], store: Any) -> Any:
    try:
        return _alike(act(store))
    except TaskError as rejection:
        return type(rejection)


def _alike(answer: Any) -> Any:
    """Return a task without the number of its counter, of which the store in memory has one."""
    if not isinstance(answer, Task):
        return answer
    held = answer.holding
    slot, queue = (None if number is None else 0 for number in (held.slot, held.queue))
    return replace(answer, holding=replace(held, slot=slot, queue=queue))


class StoresAtLength(Stores):
    """The same, in five times as many examples."""


def _examples(number: int) -> settings:
    return settings(max_examples=number, stateful_step_count=30, suppress_health_check=list(HealthCheck))


Stores.TestCase.settings = _examples(10)
StoresAtLength.TestCase.settings = _examples(50)
test_stores_cannot_be_told_apart = Stores.TestCase
test_stores_cannot_be_told_apart_at_length = pytest.mark.slow(StoresAtLength.TestCase)
