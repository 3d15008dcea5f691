"""Step Functions and its workers: tools are run, twice or late, die on the way, and wait for their users."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

from tests.contract.process import Crash
from tests.contract.step_functions import Place
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.chances import OF_ENDS
from tests.simulation.deployed.functions import Functions
from tests.simulation.faults import HostDown, StoreDown
from tests.simulation.process import Running
from tests.simulation.releases import interrupted, unavailable
from tests.simulation.uses import SLEEPS
from tests.simulation.world import World

FAULTS: Final = (Crash, StoreDown, HostDown)
"""What a run may be interrupted by, beside an executor that cannot be reached; anything else is our mistake."""

ENDS: Final = ("sleep", "request_input")
"""What a run ends with whose task goes on."""

TRIES: Final = 6
"""How often the state machine tries a state that fails."""


class StateMachine(Actor):
    """Does what comes next in an execution, again where that failed, and gives up in the end."""

    kind = "state machine"
    weights: ClassVar[Weights] = {
        "steps": 20,
        "runs once more": 1,
        "suspends late": 1,
        "writes late": 2,
        "is stopped by hand": 1,
    }

    def __init__(self, world: World) -> None:
        self.world = world
        self.failed: Counter[str] = Counter()

    def moves(self) -> Moves:
        known, draw = self.world.machine.executions, self.world.random.choice
        again, pick = self.world.again, self.world.pick
        running = [name for name, each in known.items() if each.status == "RUNNING"]
        moves: dict[str, Callable[[], object]] = {}
        late = [name for name in running if len(known[name].tokens) > 1 and self.world.repeats] or running
        if known:
            moves |= {"runs once more": lambda: again(self.run, pick(list(known), str))}
        if self.world.run_tickets.messages:
            moves |= {"writes late": lambda: again(self.write_late, draw(self._messages()))}
        due = [name for name in running if self._is_due(name)]
        if due:
            moves |= {"steps": lambda: self.step(pick(due, str))}
        if running:
            moves |= {
                "suspends late": lambda: again(self.suspend_late, pick(late, str)),
                "is stopped by hand": lambda: self._end(draw(running), "ABORTED"),
            }
        return moves

    def step(self, name: str) -> None:
        """Do what comes next."""
        execution = self.world.machine.executions[name]
        place = execution.place
        try:
            with self.world.process() as process:
                does = process.does
                self.world.machine.step(name, run=does.run, suspend=does.suspend)
        except failures() as error:
            check_fault(self.world, error, process)
            # The definition repeats for hours what passes by itself, as an outage does.
            if not process.met_outage:
                self.failed[name] += 1
                self.world.disturbed.add(name)
            self.world.trace.say(f"  {place.value} of {self._name(name)}: {type(error).__name__}")
            if self.failed[name] >= TRIES:
                self.give_up(name)
        else:
            self.world.trace.say(f"  {place.value} of {self._name(name)}, then {execution.place.value}")

    def run(self, name: str) -> None:
        """Run a tool whose run was given up, has ended, or goes on elsewhere."""
        self._attempt(name, lambda does: does.run(*self.world.machine.executions[name].names))

    def suspend_late(self, name: str) -> None:
        """Suspend with a token of before."""
        execution = self.world.machine.executions[name]
        if execution.tokens:
            self._attempt(name, lambda does: does.suspend(*execution.names, execution.tokens[0]))

    def write_late(self, message: Mapping[str, Any]) -> None:
        """Send once more what a run sent that may be over: its process was frozen, or the network is late."""
        tickets = self.world.run_tickets
        over = tickets.is_over(message)
        self.world.trace.say(f"  {self._name(tickets.task_of(message))} {message['does']}")
        answers: list[Mapping[str, Any]] = []
        attempt(self.world, lambda does: answers.append(does.send(message)))
        for answer in answers:
            tickets.late(message, answer, was_over=over)

    def give_up(self, name: str) -> None:
        """Record the failure, and end in any case."""
        names = self.world.machine.executions[name].names
        self.world.disturbed.add(name)
        self._attempt(name, lambda does: does.failed(*names, "Lambda.Unknown"))
        self._end(name, "FAILED")

    def run_due(self) -> bool:
        """Run every execution that is due; return whether there was any."""
        due = [name for name in self.world.machine.executions if self._is_due(name)]
        for name in due:
            self.step(name)
        return bool(due)

    def wakes_at(self) -> datetime | None:
        """Return when the next execution goes on by itself that waits; None where none does."""
        running = [each for each in self.world.machine.executions.values() if each.status == "RUNNING"]
        return min((each.until for each in running if each.until is not None), default=None)

    def _messages(self) -> list[Mapping[str, Any]]:
        """Return what runs sent that may come again: where tools sleep often, mostly what runs ended with."""
        tickets = self.world.run_tickets
        if SLEEPS in self.world.uses and self.world.random.random() < OF_ENDS:
            good = [each for each in tickets.messages if each["does"] in ENDS and not tickets.is_over(each)]
            return good or tickets.messages
        return tickets.messages

    def _is_due(self, name: str) -> bool:
        execution = self.world.machine.executions[name]
        if execution.status != "RUNNING" or execution.place is not Place.WAIT:
            return execution.status == "RUNNING"
        return execution.until is not None and execution.until <= self.world.clock.now()

    def _end(self, name: str, status: str) -> None:
        execution = self.world.machine.executions[name]
        if execution.status == "RUNNING":
            self.world.disturbed.add(name)
            execution.status, execution.token = status, None
            self.world.trace.say(f"  {self._name(name)} {status}")

    def _attempt(self, name: str, do: Callable[[Functions], object]) -> None:
        self.world.trace.say(f"  {self._name(name)}")
        attempt(self.world, do)

    def _name(self, name: str) -> str:
        return self.world.trace.name(name)


def failures() -> tuple[type[BaseException], ...]:
    """Return how a function may fail whose caller then tries again: anyhow, and `check_fault` looks at the cause."""
    return (Exception, *FAULTS, *interrupted())


def attempt(world: World, do: Callable[[Functions], object]) -> bool:
    """Run something in a process that may die or be rejected; return whether it completed."""
    try:
        with world.process() as process:
            do(process.does)
    except failures() as error:
        check_fault(world, error, process)
        world.trace.say(f"  {type(error).__name__}")
        return False
    return True


def check_fault(world: World, error: BaseException, process: Running) -> None:
    """Demand that what interrupted a run is a fault of this world, which its process met."""
    cause: BaseException | None = error
    while isinstance(cause, interrupted()):
        cause = cause.__cause__
    faulty = isinstance(cause, (*FAULTS, *unavailable())) and process.failed
    world.demand(faulty, f"a run was interrupted by {cause!r}")
