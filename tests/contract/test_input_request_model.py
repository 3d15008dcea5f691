"""Random sequences of a task that requests input: actors act, crash or come late, and the task ends well."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.engine.execution_outcomes import REASONS
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.errors import TaskError, TaskNotFound
from mcp_tasks.tasks.model import InputRequest, InputResponse, OutcomeKind, Returned, State, Task
from mcp_tasks.tasks.transitions import is_final
from tests.contract import actors
from tests.contract.actors import Actor, answers
from tests.contract.memory_environment import MemoryEnvironment
from tests.contract.process import Crash, Fuse, When
from tests.contract.scenario import ANSWERS, NAME, ROOTS, Scenario, check_transition, check_version
from tests.contract.step_functions import Place
from tests.kit import ADA, BOB, EVE, FixedClock

FAILURE_MESSAGES = ("The work did not end within 0:05:00.", "Nobody answered in time.", REASONS["Lambda.Unknown"])
"""How a task may end without an outcome of its own."""

INVALID = InputResponse(result={"action": "accept", "content": {"name": 7}})

REJECTIONS = (TaskError, ExecutorUnavailable, RunInterrupted, BadInputResponse)
"""The errors that an actor may get."""

ACTORS: dict[str, Actor] = {
    "machine": actors.machine,
    "machine and client": actors.machine_and_client,
    "zombie": actors.zombie,
    "late suspend": actors.late_suspension,
    "name": answers(name=NAME),
    "roots": answers(roots=ROOTS),
    "everything": actors.everything,
    "otherwise": actors.otherwise,
    "invalid response": answers(name=INVALID, roots=ROOTS),
    "unknown": answers(nobody=ROOTS),
    "cancel": actors.cancel,
    "sweep": actors.sweep,
    "updates": actors.updates,
    "failure": actors.failure,
}
# The machine is who does most of the work, so it comes more often than each of the others.
whose = st.sampled_from([*["machine"] * 8, *["everything", "name", "otherwise"] * 2, *ACTORS])
places = st.integers(0, 11)
whens = st.sampled_from(["before", "after"])
which = st.integers(0, 1)


class InputRequestModel(RuleBasedStateMachine):
    """The tasks of one caller in memory; `heard` is how much of the stream was delivered."""

    def __init__(self) -> None:
        super().__init__()
        self.scenario = Scenario.in_memory(FixedClock())
        assert isinstance(self.scenario.environment, MemoryEnvironment)
        self.environment = self.scenario.environment
        self.heard = 0
        self.deaf = False
        self.checked = 0
        self.input_requests: dict[tuple[str, str], InputRequest] = {}
        self.kept: dict[str, InputResponse] = {}
        self.may_draw: dict[str, int] = {}

    # --- what happens

    @initialize(minutes=st.sampled_from([1, 10]), steps=st.integers(0, 2), deaf=st.booleans())
    def start(self, minutes: int, steps: int, deaf: bool) -> None:
        self.deaf = deaf
        self.scenario.started(minutes)
        for _ in range(steps):
            self.scenario.step(self.environment.process())

    @precondition(lambda self: len(self.environment.store._records) < 2)
    @rule(minutes=st.sampled_from([1, 10]), place=st.integers(0, 4), when=whens)
    def start_another(self, minutes: int, place: int, when: When) -> None:
        self.environment.clock.advance(timedelta(seconds=1))
        with suppress(Crash):
            self.scenario.started(minutes, self.environment.process(Fuse(number=place, when=when)))

    @rule(who=whose, task=which)
    def act(self, who: str, task: int) -> None:
        self._act(who, self._task(task), Fuse())

    @rule(who=whose, task=which, place=places, when=whens)
    def die(self, who: str, task: int, place: int, when: When) -> None:
        """Crash right before or after a call."""
        found = self._task(task)

        def burn() -> None:
            self._allow_unrecorded_step(found, fuse)
            raise Crash

        fuse = Fuse(number=place, when=when, burn=burn)
        with suppress(Crash):
            self._act(who, found, fuse)

    @rule(who=whose, task=which, place=places, when=whens, others=st.lists(whose, min_size=1, max_size=4))
    def be_slow(self, who: str, task: int, place: int, when: When, others: list[str]) -> None:
        """Let other actors act right before or after a call."""
        found = self._task(task)

        def burn() -> None:
            self._allow_unrecorded_step(found, fuse)
            for other in others:
                self._act(other, found, Fuse())

        fuse = Fuse(number=place, when=when, burn=burn)
        self._act(who, found, fuse)

    @rule(stranger=st.sampled_from([BOB, EVE]), task=which, response=st.sampled_from([NAME, INVALID]))
    def be_a_stranger(self, stranger: Any, task: int, response: InputResponse) -> None:
        with pytest.raises(TaskNotFound):
            self.environment.process().suspension.answer(stranger, self._task(task).id, {"name": response})

    @rule(task=which, times=st.integers(1, 4))
    def go_on(self, task: int, times: int) -> None:
        for _ in range(times):
            self._act("machine", self._task(task), Fuse())

    @rule(task=which)
    def answer_wrongly(self, task: int) -> None:
        found = self._task(task)
        changes = len(self.environment.store.changes)
        open_keys = [input_request.key for input_request in found.open_input_requests]
        if "name" in open_keys and found.expires_at > self.environment.clock.now():
            with pytest.raises(BadInputResponse):
                ACTORS["invalid response"](self.scenario, self.environment.process(), found)
            assert len(self.environment.store.changes) == changes

    @rule(minutes=st.sampled_from([1, 1, 1, 9, 20]))
    def wait(self, minutes: int) -> None:
        self.environment.clock.advance(timedelta(minutes=minutes))

    @rule()
    def lose_or_find_the_executor(self) -> None:
        self.scenario.machine.down = not self.scenario.machine.down

    @rule(times=st.integers(1, 3))
    def hear(self, times: int) -> None:
        """Deliver some of the stream, in order, and again the records that could not be handled."""
        for _ in range(times):
            if self.heard < len(self.environment.store.changes):
                with suppress(ExecutorUnavailable):
                    self.environment.process().reconciler.changed(*self.environment.store.changes[self.heard])
                    self.heard += 1

    @rule(place=st.integers(0, 30))
    def hear_again(self, place: int) -> None:
        if self.heard:
            with suppress(ExecutorUnavailable):
                self.environment.process().reconciler.changed(*self.environment.store.changes[place % self.heard])

    # --- what holds after each of these

    @invariant()
    def keeps_the_invariants(self) -> None:
        for _, before, after in self.environment.store.changes[self.checked :]:
            if after is not None:
                check_version(after)
                for input_request in after.input_requests:
                    known = self.input_requests.setdefault((after.id, input_request.key), input_request)
                    assert known == input_request, "asked for something else"
            if before is not None and after is not None:
                check_transition(before, after)
                self._check_time(before, after)
        self.checked = len(self.environment.store.changes)

    @invariant()
    def keeps_the_first_response(self) -> None:
        for name, response in self.environment.store.responses:
            assert self.kept.setdefault(name, response) == response, "answered twice"
        for record in self.environment.store._records.values():
            for key, response in record.responses.items():
                assert self.kept[f"{record.task.id} {key}"] == response

    @invariant()
    def draws_once(self) -> None:
        for task_id in self.scenario.drawn:
            assert self.scenario.drawn.count(task_id) <= 1 + self.may_draw.get(task_id, 0), "done twice"

    def _check_time(self, before: Task, after: Task) -> None:
        """Assert that no input request ended without a response before its timeout."""
        responses = dict(self.environment.store.responses)
        for input_request in before.input_requests:
            if (
                input_request not in after.input_requests
                and responses.get(f"{after.id} {input_request.key}") == InputResponse()
            ):
                assert before.deadline(input_request) <= after.updated_at, "too early"

    # --- what holds in the end

    def teardown(self) -> None:
        """Let all processes reconcile, without a client and then with one."""
        self.scenario.machine.down = False
        self._reconcile_all(deaf=self.deaf)
        for _, task in self.environment.stored():
            if not is_final(task):
                self._check_reconciled(task)
        self._reconcile_all()
        for _, task in self.environment.stored():
            self._check_reconciled(task)
        for _ in range(3):
            self.scenario.client(self.environment.process())
            self._reconcile_all()
        self.keeps_the_invariants()
        self.keeps_the_first_response()
        self.draws_once()
        for owner_key, task in self.environment.stored():
            assert is_final(task), "not over"
            self._check_reconciled(task)
            if task.outcome_kind is OutcomeKind.RETURNED:
                assert self.environment.store.outcome(owner_key, task.id) == self._expected_outcome(task)
            elif task.outcome_kind is OutcomeKind.FAILED:
                assert task.status_message in FAILURE_MESSAGES, "broken off"
        # Work that suspends after its task is gone has nowhere to store its token, and waits until its timeout.
        self.environment.clock.advance(timedelta(hours=1))
        self.scenario.work(self.environment.process())
        self.scenario.check_over()

    def _reconcile_all(self, *, deaf: bool = False) -> None:
        """Let all processes reconcile; even if the stream is lost, no live task may be stuck."""
        for _ in range(4):
            self.hear(0 if deaf else len(self.environment.store.changes))
            self.scenario.work(self.environment.process())
            self.environment.sweep(self.environment.process())
            self.environment.deliver_status_changes(self.environment.process())

    def _check_reconciled(self, task: Task) -> None:
        if is_final(task):
            assert self.environment.executions().get(task.id) != "RUNNING", "works for nobody"
        else:
            execution = self.scenario.machine.executions[task.id]
            assert (execution.status, execution.place) == ("RUNNING", Place.WAIT), "stuck"
            assert task.state is State.INPUT_REQUIRED, "waits although it was answered"
            assert execution.token in task.tokens, "waits for a token that nobody has"

    def _expected_outcome(self, task: Task) -> Returned:
        """Return the result of a tool that got the first responses."""
        kept = {key: self.kept[f"{task.id} {key}"].result or {} for key in ANSWERS}
        roots, more = (len(kept[key].get("roots", [])) for key in ("roots", "more"))
        return self.scenario.order.work.returned(f"{kept['name']['action'] == 'accept'} {roots} {more}")

    # --- how

    def _task(self, number: int) -> Task:
        tasks = [record.task for record in self.environment.store._records.values()] or [
            self.environment.histories()[0][-1]
        ]
        return tasks[number % len(tasks)]

    def _act(self, who: str, task: Task, fuse: Fuse) -> None:
        with suppress(*REJECTIONS):
            ACTORS[who](self.scenario, self.environment.process(fuse), task)

    def _allow_unrecorded_step(self, task: Task, fuse: Fuse) -> None:
        """Allow for a step whose result is not recorded yet."""
        completed_calls = fuse.calls[:-1] if fuse.when == "before" else fuse.calls
        if "recall" in completed_calls and self.environment.store.recall(ADA.owner_key, task.id, "draw") is None:
            self.may_draw[task.id] = self.may_draw.get(task.id, 0) + 1


class LongInputRequestModel(InputRequestModel):
    """The same, in ten times as many examples."""


def _examples(number: int) -> settings:
    return settings(
        max_examples=number, stateful_step_count=30, suppress_health_check=list(HealthCheck), print_blob=True
    )


InputRequestModel.TestCase.settings = _examples(100)
LongInputRequestModel.TestCase.settings = _examples(1_000)
test_it_ends_well = InputRequestModel.TestCase
test_it_ends_well_at_length = pytest.mark.slow(LongInputRequestModel.TestCase)
