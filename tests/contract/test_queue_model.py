"""Random lives of tasks that queue on DynamoDB: counters remain sums, and nobody waits beside a free slot.

The table's stream is moto's.  Its records are delivered late, in any order, and again.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import timedelta
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.changes import Change, change_of
from mcp_tasks.adapters.dynamodb.items import owner_and_id, task_of
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import TaskError, TooManyTasks
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import is_final
from tests.chance import seeded
from tests.cloud import BUCKET, TABLE, cloud, scan, stream
from tests.contract.queueing import DONE, Tenant, tenant_on
from tests.kit import ADA, BOB, EVE, FixedClock
from tests.unit.jobs import COLOUR, RED

PLANS = [
    Plan(active_tasks=active, running_tasks=running, subject_share=share)
    for active, running in ((1_000, 1), (1_000, 2), (1_000, 5), (1_000, 6), (3, 2), (6, 5))
    for share in (0.5, 1)
]
Known = tuple[Caller, Task]


class Queues(RuleBasedStateMachine):
    """Two tenants, one of which has two subjects."""

    known: Bundle[Known] = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.open.enter_context(seeded(Random(0)))
        self.aws = self.open.enter_context(cloud())
        self.clock = FixedClock()
        table = Table(client=self.aws.dynamodb, name=TABLE, clock=self.clock)
        self.store = DynamoTaskStore(table=table, payloads=Payloads(client=lambda: self.aws.s3, bucket=BUCKET))
        self.backlog = DynamoBacklog(table=table)
        self.records: list[Change] = []
        self.released: list[Change] = []
        self.read = 0
        self.lowered = False

    def teardown(self) -> None:
        self.open.close()

    @initialize(plan=st.sampled_from(PLANS))
    def begin(self, plan: Plan) -> None:
        self.plan = plan
        self.tenant = tenant_on(self.store, self.clock, plan)

    @rule(target=known, caller=st.sampled_from([ADA, ADA, BOB, EVE]))
    def start(self, caller: Caller) -> Known | MultipleResults[Known]:
        of = [owner for owner, task in self.stored(deleted=True) if not is_final(task)]
        try:
            started = self.tenant.start(caller)
        except TooManyTasks:
            full = sum(tenant_of(owner) == caller.tenant for owner in of) >= self.plan.active_tasks
            assert full or of.count(caller.owner_key) >= self.plan.share_of(self.plan.active_tasks)
            return multiple()
        assert sum(tenant_of(owner) == caller.tenant for owner in of) < self.plan.active_tasks or self.lowered
        return caller, started

    @rule(known=known)
    def ask(self, known: Known) -> None:
        self.on(known, lambda tenant, owner, task: tenant.suspension.request_input(owner, task, [COLOUR]))

    @rule(known=known)
    def suspend(self, known: Known) -> None:
        self.on(known, lambda tenant, owner, task: tenant.suspension.suspend(owner, task, f"token of {task}"))

    @rule(known=known)
    def answer(self, known: Known) -> None:
        self.on(known, lambda tenant, owner, task: tenant.suspension.answer(known[0], task, {"colour": RED}))

    @rule(known=known)
    def finish(self, known: Known) -> None:
        self.on(known, lambda tenant, owner, task: tenant.tasks.finish(owner, task, DONE))

    @rule(known=known)
    def cancel(self, known: Known) -> None:
        self.on(known, lambda tenant, owner, task: tenant.tasks.cancel(known[0], task))

    @rule(known=consumes(known))
    def expire(self, known: Known) -> None:
        caller, task = known
        self.clock.advance(timedelta(days=2))
        self.backlog.discard(caller.owner_key, task.id)

    @rule(plan=st.sampled_from(PLANS))
    def change_the_plan(self, plan: Plan) -> None:
        self.plan, self.lowered = plan, True
        self.tenant = self.tenant.under(plan)
        # No record says that a plan leaves more now: the sweep of a queued task finds out.
        for caller in (ADA, EVE):
            self.tenant.tasks.start_queued(caller.tenant)

    @rule(data=st.data())
    def deliver(self, data: st.DataObject) -> None:
        """Deliver a record, which may come again."""
        self._read()
        if self.records:
            self._deliver(data.draw(st.sampled_from(range(len(self.records)))), again=data.draw(st.booleans()))

    @rule()
    def deliver_all(self) -> None:
        """Deliver all that is left, and what comes of it: then nobody waits who may run."""
        self._read()
        while self.records:
            self._deliver(0)
            self._read()
        tasks = self.stored()
        running = Counter(
            of for owner, task in tasks for of in (owner, tenant_of(owner)) if task.holding.slot is not None
        )
        for owner, task in tasks:
            # One that has expired is never started, though its item is there until TTL deletes it.
            if task.state is State.QUEUED and task.expires_at > self.clock.now():
                full = running[tenant_of(owner)] >= self.plan.running_tasks
                assert full or running[owner] >= self.plan.share_of(self.plan.running_tasks)

    @invariant()
    def every_counter_is_a_sum(self) -> None:
        held, active = Counter[tuple[str, str, str]](), Counter[str]()
        for owner, task in self.stored(deleted=True):
            holding = task.holding
            active[tenant_of(owner)] += not is_final(task)
            held[owner, "using", "active"] += holding.active
            for what, counter in (("running", holding.slot), ("queued", holding.queue)):
                held[owner, "using", what] += counter is not None
                held[tenant_of(owner), f"quota#{counter}", what] += counter is not None
        counted = {
            (item["PK"]["S"], item["SK"]["S"], name): int(item[name]["N"])
            for item in scan(self.aws.dynamodb)
            for name in ("active", "running", "queued")
            if item["SK"]["S"].startswith(("using", "quota")) and name in item
        }
        # At which of its tenant's counters a task is active is not known, only how many are.
        tenants = {at: counted.pop(at) for at in list(counted) if at[1].startswith("quota") and at[2] == "active"}
        assert {at: count for at, count in counted.items() if count} == dict(+held)
        assert min(tenants.values(), default=0) >= 0
        for tenant in (ADA.tenant, EVE.tenant):
            assert sum(count for at, count in tenants.items() if at[0] == tenant) == active[tenant]

    @invariant()
    def places_are_those_of_the_queued_tasks(self) -> None:
        places = [item["SK"]["S"] for item in scan(self.aws.dynamodb) if item["SK"]["S"].startswith("queue#")]
        queued = [task.id for _, task in self.stored(deleted=True) if task.holding.queue is not None]
        assert sorted(place.split("#")[2][1:] for place in places) == sorted(queued)

    @invariant()
    def nobody_runs_more_than_the_plan(self) -> None:
        running = Counter(tenant_of(owner) for owner, task in self.stored() if task.holding.slot is not None)
        assert self.lowered or max(running.values(), default=0) <= self.plan.running_tasks

    def on(self, known: Known, act: Callable[[Tenant, str, str], object]) -> None:
        caller, task = known
        with suppress(TaskError):
            act(self.tenant, caller.owner_key, task.id)

    def stored(self, *, deleted: bool = False) -> list[tuple[str, Task]]:
        """Return every stored task that is live, and those of which the deletion has not been delivered."""
        items = [item for item in scan(self.aws.dynamodb) if item["SK"]["S"].startswith("task#")]
        found = [(owner_and_id(item)[0], task_of(item)) for item in items]
        self._read()
        if deleted:
            pending = [each for each in self.records if each.after is None and each not in self.released]
            gone = [(each.owner_key, each.before) for each in pending]
            found += [(owner, task) for owner, task in gone if task is not None and not is_final(task)]
        return found

    def _read(self) -> None:
        """Read what the stream has by now."""
        new = [each["dynamodb"] for each in stream(self.aws)[self.read :]]
        self.read += len(new)
        self.records += [change_of(each) for each in new if each["Keys"]["SK"]["S"].startswith("task#")]

    def _deliver(self, place: int, *, again: bool = False) -> None:
        record = self.records[place] if again else self.records.pop(place)
        self.tenant.reconciler.changed(record.owner_key, record.before, record.after)
        if record.after is None:
            self.released.append(record)


class QueuesAtLength(Queues):
    """The same, in eight times as many examples."""


def _examples(number: int) -> settings:
    return settings(max_examples=number, stateful_step_count=40, suppress_health_check=list(HealthCheck), deadline=None)


Queues.TestCase.settings = _examples(5)
QueuesAtLength.TestCase.settings = _examples(40)
test_queues_lose_nothing = Queues.TestCase
test_queues_lose_nothing_at_length = pytest.mark.slow(QueuesAtLength.TestCase)
