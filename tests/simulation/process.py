"""A process of the world, which lives for one request or one run: whose code it runs, its faults, what its call did."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.ports.clock import Clock
from tests.simulation.actors import LAMBDA
from tests.simulation.deployed.outside import Taken
from tests.simulation.faults import HARMLESS, S3, STATES, TABLE, Faults, Faulty
from tests.simulation.plans import BelievedPlans
from tests.simulation.releases import Release

if TYPE_CHECKING:
    from tests.simulation.deployed.functions import Functions
    from tests.simulation.laws.keys import Named
    from tests.simulation.world import World

GATEWAY_TIMEOUT: Final = timedelta(seconds=29)
"""After which API Gateway waits for no answer of a process."""

LONGEST_PAUSE = 5
"""Seconds, of somebody who waits for a task."""


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """What a call did so far, whether or not its client got the response.

    `steps` are the numbers of the effects of its steps, `responses` what its client answered last, by key, `tasks`
    those that it started, and `asked` the methods of its input requests, by key.  It `failed` if one of its processes
    did.  Where it is `named`, it may get the task of an earlier call.  A round trip goes on from the record of the one
    before: whoever repeats an old `requestState` goes on from an old record.
    """

    steps: dict[str, int] = field(default_factory=dict)
    responses: dict[str, Any] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    failed: bool = False
    named: "Named | None" = None

    def next(self, responses: Mapping[str, Any]) -> "CallRecord":
        """Return the record that the next round trip goes on from: a new response replaces an earlier one."""
        given = {**self.responses, **responses}
        return CallRecord(steps=dict(self.steps), responses=given, tasks=list(self.tasks), asked=dict(self.asked))

    @property
    def counting(self) -> dict[str, Any]:
        """The responses that last beyond a round trip: those to what it was asked, and not what else was sent."""
        return {key: response for key, response in self.responses.items() if key in self.asked}

    def asks_for(self, requests: Mapping[str, Any]) -> None:
        """Note what a round trip ended with: nothing is kept of responses that nothing had asked for until then."""
        self.responses = self.counting
        self.asked |= {key: each["method"] for key, each in requests.items()}


class SkewedClock:
    """The clock of a process, which is behind the world's."""

    def __init__(self, clock: Clock, behind: timedelta) -> None:
        self._clock = clock
        self._behind = behind

    def now(self) -> datetime:
        return self._clock.now() - self._behind

    def sleep(self, duration: timedelta) -> None:
        self._clock.sleep(duration)


class Running:
    """A process that runs; all that it has is new, since nothing but what is stored outlives it.

    It is what `deployed` calls the outside.
    """

    def __init__(self, world: "World", call: CallRecord, release: Release) -> None:
        self.world = world
        self.call = call
        self.release = release
        self.began = world.clock.now()
        self.began_moment = world.store.moment()
        self.clock = SkewedClock(world.clock, world.draw_skew())
        self.keys = world.keys
        self.held_waits = world.held_waits
        self.memory = world.ports
        self.struck: list[str] = []
        """The faults that the process met."""
        self.met_outage = False
        """Whether it called a service that was away for long."""
        self.failed_at: list[str] = []
        """The values of the calls at which it failed."""
        self.since = len(world.store.holdings) - 1
        """Which of what the store held there was when the process began."""
        self.busy = ""
        """The task at which the store fails it."""
        self.about: Sequence[object] = ()
        """The values of its last call, or of the one at which it is suspended."""
        self.asks = ""
        """What a run in it asked its host last."""
        self.paused = timedelta()
        """For how long it has waited for a task."""
        self.waited = self.began_moment
        """The moment at which it last went on after it had waited for a task, or that at which it began."""

    @property
    def failed(self) -> bool:
        """Whether the process died, or could not reach something."""
        return any(fault not in HARMLESS for fault in self.struck)

    def cannot_reach_task(self, values: Sequence[object]) -> bool:
        """Return whether a call of these values is about the task at which the store fails the process."""
        return bool(self.busy) and any(self.busy in str(getattr(value, "id", value)) for value in values)

    @cached_property
    def does(self) -> "Functions":
        """The functions of its release."""
        made: Functions = self.release.functions.Functions(self, self.world.served_by(self.release))
        return made

    @property
    def counted_dynamodb(self) -> Any:
        """The client of DynamoDB without faults, for buckets, which the world counts as well."""
        return self.world.dynamodb

    @cached_property
    def dynamodb(self) -> Any:
        """The client of DynamoDB, where tasks are in the table."""
        dynamodb = self.world.dynamodb
        return Faulty(dynamodb, "dynamodb", self._faults, TABLE) if self.world.deep else dynamodb

    @cached_property
    def objects(self) -> Any:
        """The client of S3, where tasks are in the table."""
        return Faulty(self.world.bucket, "store", self._faults, S3)

    @cached_property
    def states(self) -> Any:
        """The client of Step Functions."""
        return Faulty(self.world.machine, "executor", self._faults, STATES)

    @cached_property
    def invocations(self) -> Any:
        """The client of Lambda, where there are tasks without an execution."""
        direct = self.world.direct
        return Faulty(self.world.invocations, "executor", self._faults, LAMBDA) if direct else None

    def faulty(self, port: Any) -> Any:
        """Return a port of the store whose calls meet faults, unless those of DynamoDB do."""
        return port if self.world.deep else Faulty(port, "store", self._faults, TABLE)

    def send(self, message: Mapping[str, Any], send: Callable[[Any], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Send a message to the host of runs, of whatever release is live, by an invocation that meets faults."""
        self.asks = str(message["does"])
        if self.world.one_name and self.asks == "load":
            message = {**message, "run": "run"}
        hosting = self.world.invoked(otherwise=self.release)
        if hosting is not self.release:
            send = hosting.functions.Functions(self, self.world.served_by(hosting)).host
        self.world.run_tickets.asks(_as_sent(message))
        answer: Mapping[str, Any] = self._faults.meet("host", str(message["does"]), lambda: send(message), LAMBDA)
        self.world.run_tickets.sent(_as_sent(message), _as_sent(answer))
        return answer

    def limits_of(self, tenant: str) -> Mapping[str, Any]:
        """Return the fields of a tenant's plan, as this process believes it is."""
        return self._plans.limits_of(tenant)

    def take(self, taken: Taken, rate: tuple[float, float], take: Callable[[], datetime | None]) -> datetime | None:
        """Take from a bucket, and count."""
        # In memory they are the world's, and so is their clock.
        clock = self.world.clock if self.world.bucket is None else self.clock
        return self.world.buckets.count(taken, rate, take(), clock.now())

    def pause(self, at_most: timedelta) -> None:
        """Let simulated time pass, and others act."""
        seconds = round(self.world.random.uniform(0.2, LONGEST_PAUSE), 3)
        pause = min(at_most, timedelta(seconds=seconds))
        self.paused += pause
        self.world.clock.advance(pause)
        self.world.interleave()
        self.waited = self.world.store.moment()

    @cached_property
    def _faults(self) -> Faults:
        return Faults(self.world, self.struck)

    @cached_property
    def _plans(self) -> BelievedPlans:
        return BelievedPlans(plans=self.world.plans, clock=self.world.clock, random=self.world.random)


def _as_sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message as whoever receives it has it: plain data, and nothing of the release that sent it."""
    sent: Mapping[str, Any] = json.loads(json.dumps(message))
    return sent
