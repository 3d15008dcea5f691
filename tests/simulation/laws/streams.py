"""What the streams of a session carry, whether it reached the client or not.

"The server MUST send each of its JSON-RPC messages on only one of the connected streams; that is, it MUST NOT broadcast
the same message across multiple streams."  -- 2025-11-25, Transports, Multiple Connections.  A request moves to another
stream where the client let the one before go, or may never have read it there: `REPEAT_AFTER` later.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.wire.rev_2025_11_25.deliveries import REPEAT_AFTER
from mcp_tasks.wire.units import timestamp
from tests.simulation.laws.carried import Carried, News, is_over
from tests.simulation.laws.handles import Patience
from tests.simulation.laws.messages import check_message
from tests.simulation.process import GATEWAY_TIMEOUT, CallRecord

if TYPE_CHECKING:
    from tests.simulation.actors.client import Received
    from tests.simulation.world import World

STATUS = "notifications/tasks/status"

UNREAD: Final = REPEAT_AFTER - GATEWAY_TIMEOUT
"""Until another stream may carry a request: the time counts from the claim, and its response may be slow."""

STREAM_LIFETIME: Final = timedelta(hours=24) - GATEWAY_TIMEOUT
"""An event id is signed before it is received."""


@dataclass(slots=True, kw_only=True)
class OpenStream:
    """A stream of a session: where to resume it, and the request that it answers, if it does; `task` is its task.

    `call` is the record of the plain call that it answers, which was made with `patience`.  The server `answered` once
    it sent a response, whether or not that arrived, and the client `has_answer` once it did.
    """

    place: str = ""
    received: dict[str, datetime] = field(default_factory=dict)
    """When the client received each event id first, which is valid for a day."""
    request_id: Any = None
    task: str | None = None
    call: CallRecord = field(default_factory=CallRecord)
    patience: Patience | None = None
    token: str | None = None
    """The progress token of the plain call."""
    carries: bool = True
    """Whether it may carry more than an answer."""
    serving: list[News] = field(default_factory=list)
    """What there was to tell when each request for it began that is not answered yet."""
    reported: dict[Any, tuple[float, int]] = field(default_factory=dict)
    """The last progress under each token, and the moment when it was received or lost."""
    noted: int | None = None
    """How many changes there were when it was first answered."""
    served: bool = False
    """Whether it went on when its client resumed it last."""
    silenced: bool = False
    """Whether a request for it began in a silent session, which is never told again what there was to tell then."""
    given_up: bool = False
    let_go: bool = False
    """Whether the server confirmed that it was given up."""
    answered: bool = False
    has_answer: bool = False
    waited: int = 0
    """The moment at which the process that answered had waited last, or began."""

    @property
    def at(self) -> datetime | None:
        """When the client received the place at which it resumes, None if it has none."""
        return self.received.get(self.place)

    def is_old(self, now: datetime) -> bool:
        """Return whether so much time passed that its places may not be known any more."""
        return self.at is None or now - self.at >= STREAM_LIFETIME

    def about(self) -> str:
        """Return the task that its request is about, or the last one that it started; empty if there is none yet."""
        return self.task or next(reversed(self.call.tasks), "")


@dataclass(slots=True)
class Streams:
    """What was sent on which stream, in all sessions."""

    world: "World"
    carried: dict[tuple[str, str], OpenStream] = field(default_factory=dict)
    """The stream of each message and event id of a session, the last one of a request."""
    sent_at: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """When that stream carried it last."""
    over_time: Carried = field(init=False)
    before: dict[str, frozenset[str]] = field(default_factory=dict)
    """What a client has that resumes after an event."""
    statuses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    left: list[OpenStream] = field(default_factory=list)
    """Those whose requests their clients gave up before they had the response."""
    given_up: list[tuple[OpenStream, int]] = field(default_factory=list)
    """Those of which the server confirmed that since the last move, and the moment."""

    answered_badly: Counter[str] = field(default_factory=Counter)
    """How often clients gave an answer that does not fit, by what it answers."""

    def __post_init__(self) -> None:
        self.over_time = Carried(self.world)

    def send(self, session: str, stream: OpenStream, response: "Received", resumed: str | None) -> None:
        """Take what a response carries; `resumed` is the event after which the client resumed the stream."""
        has = self.before.get(resumed or "", frozenset())
        for event_id, message in response.events:
            if event_id is not None:
                self._carry(session, stream, f"event {event_id[-12:]}")
            if message is not None:
                check_message(self.world, stream, message, self.answered_badly)
            for name in _names(message):
                here = self.carried.get((session, name)) is stream
                self._carry(session, stream, name, is_request={"method", "id"} <= (message or {}).keys())
                # A clock that is behind may send again what another one has seen end.
                again = name in has and here and not (self.world.skew and is_over(self.world, message))
                self.world.demand(not again, f"{name} is sent again to a client that has it")
                has |= {name}
            self._count(session, message)
            if message is not None and "method" not in message:
                stream.answered, stream.waited = True, response.waited
            if event_id is not None:
                self.before[event_id] = has
        ids = [event_id for event_id, _ in response.events if event_id is not None]
        if ids:
            self.before[ids[-1]] = has
        self.over_time.send(session, stream, response, resumed)

    def after_a_move(self) -> None:
        """Demand that the work of a call ended with it, where its client gave it up before it was answered.

        The cancellation and the response may have crossed, but not where the process that answered was waiting then.
        """
        for stream, moment in self.given_up:
            crossed = stream.answered and stream.waited < moment
            if not crossed and not stream.call.failed:
                for task in stream.call.tasks:
                    name = self.world.trace.name(task)
                    self.world.demand(self.world.store.is_over(task), f"the call of {name} was given up, and goes on")
        self.given_up.clear()

    def _carry(self, session: str, stream: OpenStream, name: str, *, is_request: bool = False) -> None:
        first, now = self.carried.setdefault((session, name), stream), self.world.clock.now()
        waited = now + self.world.skew - self.sent_at.get((session, name), now)
        self.sent_at[session, name] = now
        if first is not stream and is_request and (first.given_up or waited >= UNREAD):
            self.carried[session, name] = first = stream
        if is_request and stream.given_up:
            # The response of a call that its client cancelled was under way while another stream took its request.
            return
        # Of progress that is repeated in silence, a release before does not know what this one claims.
        if not (name.startswith("progress") and self.world.has_a_release_before):
            self.world.demand(first is stream, f"{name} is sent on two streams")

    def _count(self, session: str, message: Any) -> None:
        """Demand that a session is notified of each version of a task once."""
        if message is None or message.get("method") != STATUS:
            return
        task_id, updated_at = message["params"]["taskId"], message["params"]["lastUpdatedAt"]
        self.statuses[session, task_id, updated_at] += 1
        written = sum(timestamp(each.updated_at) == updated_at for each in self.world.store.versions[task_id])
        twice = self.statuses[session, task_id, updated_at] > written
        self.world.demand(not twice, f"a status of {self.world.trace.name(task_id)} is sent on two streams")


def _names(message: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield what identifies a message within its session, if something does."""
    match message:
        case {"method": "notifications/progress", "params": {"progressToken": token, "progress": progress}}:
            yield f"progress {progress} of {token}"
        case {"method": str(method), "id": request_id}:
            yield f"{method} {str(request_id)[-12:]}"
        case {"id": int(request_id)}:
            yield f"answer {request_id}"
