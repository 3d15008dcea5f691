"""Hosts that call again, since they gave up on a call or lost its task: most get the task of the call before."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from mcp_tasks.limits.waits import IDEMPOTENCY_KEY_LIFETIME
from mcp_tasks.security.tenancy import Caller
from tests.kit import ADA, BOB, EVE
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.client import KEY, KEY_TAKEN
from tests.simulation.actors.client_2026 import Client2026
from tests.simulation.deployed.more_tools import JOIN_WITHIN
from tests.simulation.laws.calls import Calls
from tests.simulation.laws.keys import Keys, Named
from tests.simulation.laws.shown import Ledger
from tests.simulation.process import CallRecord
from tests.simulation.world import World

ACTORS: Final[tuple[Mapping[str, Any] | None, ...]] = (None, {"sub": "agent-1"}, {"sub": "agent-2"})
SCOPES: Final = (frozenset[str](), frozenset({"fetch"}))
PARTS: Final = (1, 1, 2, 3)
NAMES: Final = ("host-1", "host-2")


@dataclass(kw_only=True)
class Host(Client2026):
    """One host of a caller, who is told apart from others of its subject by scopes and by who acts."""

    keys: Keys
    reuses_names: ClassVar[bool] = True

    def call_again(self, *, name: str = "") -> None:
        """Call a joinable tool and wait for it, or as a task by a name that may be used already."""
        arguments = {**self.arguments(), "part": self.world.random.choice(PARTS)}
        named, sent = self._named(arguments, name), self.keys.send()
        record = CallRecord(named=named)
        self.world.trace.say(f"  {named.name}: {named.request}")
        params, meta = {"name": "fetch", "arguments": arguments}, {KEY: name} if name else {}
        message = self._call(params, meta, record, declares=bool(name), key=None)
        if message is None:
            return
        if message.get("error", {}).get("message", "").startswith(KEY_TAKEN):
            self.keys.refused(named, sent)
        elif (task_id := self._task_in(message.get("result", {}))) is not None:
            self.keys.got(named, sent, task_id)

    def _named(self, arguments: Mapping[str, Any], name: str) -> Named:
        request = f"part {arguments['part']}"
        if name:
            return Named(f"{self.owner}'s {name}", request, IDEMPOTENCY_KEY_LIFETIME, joins=False)
        actor = "" if self.caller.actor is None else f" by {self.caller.actor['sub']}"
        scoped = f" with {', '.join(self.caller.scopes)}" if self.caller.scopes else ""
        return Named(f"{self.owner}'s {request}{actor}{scoped}", request, JOIN_WITHIN, joins=True)

    def _task_in(self, result: Mapping[str, Any]) -> str | None:
        """Return the task that a call got, which the result of its tool names by what it did."""
        if "taskId" in result:
            return str(result["taskId"])
        if "task_id" in result.get("structuredContent", {}):
            return str(result["structuredContent"]["task_id"])
        try:
            number: int = json.loads(result["content"][0]["text"])["draw"]
            return self.world.effects[number].task
        except (KeyError, ValueError):
            return None


@dataclass
class CallingAgain(Actor):
    """All such hosts of a story."""

    kind: ClassVar[str] = "host"
    weights: ClassVar[Weights] = {"calls again": 10, "calls by a name": 4}
    lasts: ClassVar[bool] = False
    world: World
    ledger: Ledger
    calls: Calls
    hosts: list[Host] = field(init=False)

    def __post_init__(self) -> None:
        keys = Keys(self.world)
        about: dict[str, Any] = {"world": self.world, "ledger": self.ledger, "calls": self.calls, "keys": keys}
        self.hosts = [Host(caller=caller, owner=caller.subject, **about) for caller in _callers()]

    def moves(self) -> Moves:
        draw = self.world.random.choice
        moves: dict[str, Callable[[], object]] = {
            "calls again": lambda: draw(self.hosts).call_again(),
            "calls by a name": lambda: draw(self.hosts).call_again(name=draw(NAMES)),
        }
        return moves


def _callers() -> list[Caller]:
    of_ada = [replace(ADA, actor=actor, scopes=scopes) for actor in ACTORS for scopes in SCOPES]
    return [*of_ada, BOB, EVE]
