"""How a client names an object, and all of what the server does then: its reply, and its calls of AWS."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import ascii_letters
from typing import Any, Final, NamedTuple

from mcp_tasks.testing.replies import Reply
from tests.attacks.aws_calls import AwsCall, recorded

Objects = Mapping[str, Mapping[str, str]]
"""By kind, and by the state that they are in: what clients know each object by."""

TASK_STATES: Final = (
    *("working", "input_required", "completed", "failed", "cancelled", "queued"),
    *("expired", "deleted"),
)
APPROVAL_STATES: Final = ("decided", "waiting")
GONE: Final = frozenset({"expired", "deleted", "ended"})
"""States in which the owner finds no object either."""

TASK_ID: Final = re.compile(r"\b0[0-9a-v]{35}\b")
BASE32: Final = "0123456789abcdefghijklmnopqrstuv"
EVENT_ID: Final = re.compile(r"^id: .+$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to name an object of a kind in a request.

    A way that `starts` a task, or otherwise `notes` something, writes to the caller's own partition.  What is `ignored`
    names nothing, for its owner either.
    """

    name: str
    kind: str
    send: Callable[[Any, str], Reply]
    states: frozenset[str] | None = None
    starts: bool = False
    notes: bool = False
    ignored: bool = False

    @property
    def writes(self) -> bool:
        """Whether anything is written at all."""
        return self.starts or self.notes


class Case(NamedTuple):
    """One request: a way to name an object, and the state that the object is in."""

    way: Way
    state: str

    @property
    def name(self) -> str:
        """The case in words."""
        return f"{self.way.name}, {self.state}"

    @property
    def concerns_its_owner(self) -> bool:
        """Whether the owner of the object is answered otherwise than for an object that never existed."""
        return not self.way.ignored and self.state not in GONE


def cases(ways: list[Way], states: Mapping[str, tuple[str, ...]]) -> list[Case]:
    """Return all requests of a revision, which has objects of these kinds in these states."""
    return [Case(way, state) for way in ways for state in states[way.kind] if way.states is None or state in way.states]


class Seen(NamedTuple):
    """What became of a request, with NAMED in the place of what the client named."""

    status: int
    headers: str
    body: str
    calls: tuple[AwsCall, ...]

    @property
    def reply(self) -> tuple[int, str, str]:
        """What the client was told."""
        return self.status, self.headers, self.body


def seen(way: Way, client: Any, named: str) -> Seen:
    """Send a request that names an object, and return what became of it."""
    with recorded() as calls:
        reply = way.send(client, named)

    def masked(text: str) -> str:
        text = EVENT_ID.sub("id: NEW", text.replace(named, "NAMED"))
        # A task that is started has a new id each time.
        return TASK_ID.sub("NEW", text) if way.starts else text

    # What is written for the caller himself has ids and hashes of its own, each time.
    shown = [AwsCall(each.operation, "" if way.writes else masked(each.parameters)) for each in calls]
    return Seen(reply.status, masked(repr(sorted(reply.headers.items()))), masked(reply.body), tuple(shown))


def invented(kind: str, named: str) -> str:
    """Return what looks the same, and never named anything: with other random bits, or another signature."""
    if kind == "approval":
        # Behind whom it asks, and when.
        return named[:-8] + secrets.token_hex(4)
    alphabet = BASE32 if kind == "task" else ascii_letters
    # Before that is when a task was created, or what was signed.
    start = named.rindex(".") + 1 if "." in named else 10
    other = "".join(secrets.choice(alphabet) for _ in range(8))
    return named[:start] + other + named[start + len(other) :]
