"""What must hold: after each move, once nothing is left to do, and in the end."""

import json
from collections.abc import Container, Iterable, Iterator
from datetime import datetime
from typing import Any

from mcp_tasks.engine.execution_outcomes import REASONS
from mcp_tasks.engine.sweep import DIED, UNRECORDED
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import InputResponse, OutcomeKind, Returned, State, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire.rev_2025_11_25.deliveries import digest
from tests.contract.step_functions import Execution, Place
from tests.simulation.deployed.tools import value_of
from tests.simulation.history import Change
from tests.simulation.laws.approvals import Approvals
from tests.simulation.laws.counters import check_counters
from tests.simulation.laws.deadlines import NO_SLOT, NOT_BEGUN, OUT_OF_TIME, TOO_LATE, Deadlines
from tests.simulation.laws.keys import Keys
from tests.simulation.laws.leases import Leases
from tests.simulation.laws.limits import Limits
from tests.simulation.laws.line import Line
from tests.simulation.laws.shares import Shares
from tests.simulation.laws.shown import Ledger
from tests.simulation.laws.stopped import Stopped
from tests.simulation.laws.streams import Streams
from tests.simulation.laws.turns import Turns
from tests.simulation.laws.versions import Versions
from tests.simulation.reckoning import SOON, deadline, expires_at, may_become
from tests.simulation.world import World

MOST_BAD = 6
"""After so many bad answers a task goes on without a good one."""

# The last is what releases up to 0.4 say for `DIED`.
BROKEN_OFF = (*REASONS.values(), DIED, UNRECORDED, "The process that did the work died each time.")
"""How a task may end whose work was broken off, at the beginning of its words."""

CREATED_WITH = (
    "id",
    "tool",
    "created_at",
    "ttl",
    "timeout",
    "poll_interval",
    "scopes",
    "actor",
    "progress_token",
    "session",
)
"""What a task is created with, and no event changes."""


def wakes_at(task: Task, execution: Execution | None) -> datetime | None:
    """Return when a task that sleeps goes on: its execution counts from when it suspends, some time after the run."""
    if task.wakes_at is None or execution is None or execution.until is None:
        return task.wakes_at
    return min(execution.until, task.wakes_at + execution.late + SOON)


def waking(world: World) -> Iterator[datetime]:
    """Yield when tasks go on by themselves."""
    for _, task in world.store.tasks():
        execution = world.machine.executions.get(task.id)
        waits = execution.until if execution and task.open_input_requests else None
        time = wakes_at(task, execution) or waits
        if time is not None and time > world.clock.now():
            yield time


class Laws:
    """The laws of a world, checked as far as anything is new."""

    def __init__(self, world: World, ledger: Ledger, streams: Streams, approvals: Approvals) -> None:
        self.world = world
        self.ledger = ledger
        self.streams = streams
        self.approvals = approvals
        self.versions: set[tuple[str, int]] = set()
        self.kept: dict[tuple[str, str], InputResponse] = {}
        self.limits = Limits(world)
        self.shares = Shares(world)
        self.leases = Leases(world)
        self.deadlines = Deadlines(world)
        self.stopped = Stopped(world)
        self.versions_in_order = Versions(world)
        self.keys = Keys(world)
        self.line = Line(world)
        self.turns = Turns(world)

    def after_a_move(self) -> None:
        """Demand what must hold at any time."""
        store = self.world.store
        for change in store.changes.new(self):
            self._lawful(change)
            self._in_time(change)
            self._wanted(change)
            self.line.after_a_change(change)
        for task_id, key, response in store.responses.new(self):
            self.world.demand((task_id, key) not in self.kept, f"{self._name(task_id)}: {key} is answered twice")
            self.kept.setdefault((task_id, key), response)
        for effect in self.world.effects.new(self):
            recorded = store.recorded.get((effect.task, effect.step))
            known = effect.again or (recorded is not None and effect.began >= recorded)
            self.world.demand(not known, f"{self._name(effect.task)}: {effect.step} is recorded, and was done again")
        self.shares.after_a_move()
        check_counters(self.world)
        self.leases.after_a_move()
        self.deadlines.after_a_move()
        self.stopped.after_a_move()
        self.versions_in_order.after_a_move()
        self.keys.after_a_move()
        self.turns.after_a_move()
        if self.world.others:
            self.approvals.after_a_move()
        self.limits.after_a_move()
        self.streams.after_a_move()

    def when_idle(self, *, delivered: bool, lost: Container[str]) -> None:
        """Demand that nothing is lost: every live task waits for its user or sleeps, and an execution waits with it.

        Where the stream was `delivered`, nobody works on what is final.  The end of an execution that was `lost` is
        found by the sweep: while its task waits for the user once a day, and once an hour where it is about to.
        """
        for _, task in self.world.store.tasks():
            name, execution = self._name(task.id), self.world.machine.executions.get(task.id)
            if not self.world.store.lives(task):
                continue
            if is_final(task):
                stopped = execution is None or execution.status != "RUNNING"
                self.world.demand(stopped or not delivered, f"{name} is {task.state}, and its work goes on")
                continue
            if _ended_undelivered(task, execution, lost):
                continue
            wakes = wakes_at(task, execution)
            asleep = wakes is not None and wakes > self.world.clock.now()
            stuck = task.state is not State.INPUT_REQUIRED and not asleep
            self.world.demand(not stuck, f"{name} is stuck: {task.state}, and nobody works")
            waits = execution is not None and execution.status == "RUNNING" and execution.place is Place.WAIT
            self.world.demand(waits, f"{name} waits for its user or sleeps, and no execution waits with it")
            known = execution is not None and execution.token in task.tokens
            self.world.demand(known or asleep, f"{name} waits for a token that nobody has")

    def ended_undelivered(self, lost: Container[str]) -> bool:
        """Return whether the work of a task has ended that waits for nobody, and the event of that was lost."""
        store, executions = self.world.store, self.world.machine.executions
        live = [task for _, task in store.tasks() if store.lives(task) and not is_final(task)]
        ended = [task for task in live if task.id in executions and executions[task.id].status != "RUNNING"]
        return any(task.id in lost and not task.input_requests for task in ended)

    def not_given_up(self, changes: int, *, since: datetime, delivered: bool, lost: Iterable[str]) -> None:
        """Demand that no task ran out of time that had some, and whose work is not known to have ended.

        A queue of which the stream is not `delivered` moves once an hour, so that its tasks are excused; and so are
        those whose wait began late.
        """
        new = self.world.store.changes[changes:]
        queued = {
            each.task.id for each in new for task in (each.before, each.after) if task and task.state is State.QUEUED
        }
        excused = {*lost, *self.deadlines.suspended_late(), *(() if delivered else queued)}
        for change in new:
            before, after = change.before, change.after
            if before is None or after is None or after.id in excused:
                continue
            given_up = str(after.status_message).startswith((OUT_OF_TIME, NOT_BEGUN, NO_SLOT))
            had_time = given_up and before.due_at > since + SOON
            self.world.demand(not had_time, f"{self._name(after.id)} ran out of time, and nobody worked on it")

    def all_ended(self, *, lost: Container[str]) -> None:
        """Demand that every task has ended, once and with one outcome, unless its time was over before.

        Where the end of an execution was `lost`, its task may end an hour later.
        """
        ends = [change.task.id for change in self.world.store.changes if _ends(change)]
        self.world.demand(len(set(ends)) == len(ends), "a task ended twice")
        later = self.end_later(lost)
        for owner_key, task in self.world.store.tasks():
            ended = is_final(task) or not self.world.store.lives(task) or task.id in later
            self.world.demand(ended, f"{self._name(task.id)} never ended: {task.state}")
            if is_final(task):
                self._ended(owner_key, task)

    def end_later(self, lost: Container[str]) -> set[str]:
        """Return the tasks that wait for nobody any more, and of whose end only the sweep can find out."""
        tasks, now = [task for _, task in self.world.store.tasks() if not is_final(task)], self.world.clock.now()
        waiting = {task.id for task in tasks for each in task.open_input_requests if task.deadline(each) > now}
        executions = self.world.machine.executions
        return {task.id for task in tasks if _ended_undelivered(task, executions.get(task.id), lost)} - waiting

    def nothing_is_left(self) -> None:
        """Demand that nothing is left of any task: no item, no place in a quota, no work."""
        self.world.demand(not self.world.store.tasks(), "a task was not deleted")
        for name, counts in self.world.store.counts.items():
            self.world.demand(counts[-1] == 0, f"{name} has no tasks and is counted {counts[-1]}")
        for name, execution in self.world.machine.executions.items():
            self.world.demand(execution.status != "RUNNING", f"{self._name(name)}: work for nobody")
        for item in self.world.store.kept_for_ever():
            self.world.demand(False, f"{item} is kept for ever")
        for name, count in self.world.held_waits.held().items():
            self.world.demand(False, f"{name} has no connections and is counted {count}")

    # --- one by one

    def _lawful(self, change: Change) -> None:
        before, after = change.before, change.after
        if before is None or after is None:
            return
        name = self._name(after.id)
        self.world.demand(
            after.version == before.version + 1, f"{name}: version {before.version}, then {after.version}"
        )
        self.world.demand(may_become(before, after), f"{name}: from {before.state} to {after.state}")
        same = all(getattr(after, name) == getattr(before, name) for name in CREATED_WITH)
        self.world.demand(same, f"{name}: what it was created with has changed")
        too_long = after.wakes_at is not None and after.wakes_at > self.world.run_tickets.wanted[after.id]
        self.world.demand(not too_long, f"{name} sleeps until {after.wakes_at}, and wanted to for a shorter time")
        again = [each.key for each in after.input_requests if (after.id, each.key) in self.kept]
        self.world.demand(not again, f"{name}: {', '.join(again)} is asked again")
        self.world.demand((after.id, after.version) not in self.versions, f"{name}: two versions {after.version}")
        self.versions.add((after.id, after.version))
        if before.progress and after.progress:
            rises = after.progress.progress >= before.progress.progress
            self.world.demand(rises, f"{name}: progress went back")

    def _in_time(self, change: Change) -> None:
        """Demand that nothing was done without an answer while there was time to give one."""
        owner_key, before, after = change.owner_key, change.before, change.after
        if before is None or after is None:
            return
        for each in [each for each in before.input_requests if each not in after.input_requests]:
            response = self.world.store.response(owner_key, after.id, each.key)
            early = response == InputResponse() and deadline(before, each) > after.updated_at
            given_up = self.streams.answered_badly[f"{after.id}:{digest(each.key)}"] >= MOST_BAD
            missing = f"{self._name(after.id)} goes on without {each.key}, and there was time"
            self.world.demand(given_up or not early, missing)

    def _wanted(self, change: Change) -> None:
        """Demand that a task was cancelled only if its client did that, or gave up the call that was its own."""
        if change.after is not None and change.after.state is State.CANCELLED:
            if tenant_of(change.owner_key) == self.world.erased:
                return
            given_up = any(change.after.id in stream.call.tasks for stream in self.streams.left)
            wanted = change.after.id not in self.ledger.unwanted and not given_up
            self.world.demand(not wanted, f"{self._name(change.after.id)} was cancelled, and nobody asked for that")

    def _ended(self, owner_key: str, task: Task) -> None:
        name = self._name(task.id)
        if task.outcome_kind is OutcomeKind.FAILED:
            said = str(task.status_message)
            # Of two clocks, one may have seen it expire.
            expires = task.updated_at + self.world.skew >= expires_at(task)
            broken = said.startswith(BROKEN_OFF) and (task.id in self.world.disturbed or expires)
            self.world.demand(broken or said.startswith(TOO_LATE), f"{name} failed, and nobody broke it off: {said}")
        elif task.outcome_kind is not None:
            outcome = self.world.store.stored_outcome(owner_key, task.id)
            assert isinstance(outcome, Returned)
            self._answers(owner_key, task, outcome)

    def _answers(self, owner_key: str, task: Task, outcome: Returned) -> None:
        """Demand that an outcome is made of what the steps recorded and of the first responses."""
        name, text = self._name(task.id), outcome.result["content"][0]["text"]
        try:
            said: dict[str, Any] = json.loads(text)
        except ValueError:
            self.world.demand(False, f"{name} failed: {text}")
            return
        steps = {step: json.loads(value) for step, value in self.world.store.stored_steps(owner_key, task.id).items()}
        for key, value in said.items():
            if key in steps:
                self.world.demand(steps[key] == value, f"{name} says {key} {value}, and recorded {steps[key]}")
            elif key != "owner":
                kept = self.kept.get((task.id, key), InputResponse())
                self.world.demand(
                    value_of(kept) == (value or None), f"{name} says {value} for {key}, not {value_of(kept)}"
                )

    def _name(self, task_id: str) -> str:
        return self.world.trace.name(task_id) if task_id else "a call"


def _ends(change: Change) -> bool:
    before, after = change.before, change.after
    return after is not None and is_final(after) and (before is None or not is_final(before))


def _ended_undelivered(task: Task, execution: Execution | None, lost: Container[str]) -> bool:
    """Return whether only the sweep can find that the work of a task has ended which needs input, shown or not."""
    return bool(task.input_requests) and execution is not None and execution.status != "RUNNING" and task.id in lost
