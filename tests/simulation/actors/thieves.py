"""Clients of 2025-11-25 that try what is another owner's: its session, its stream, and what its client is asked.

Whatever they try is answered as if they had made it up.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.client_2025 import NAME, Client2025
from tests.simulation.world import World

DONE: Final = (202, 204)

REJECTED: Final = (400, 404, 405)
"""How what is made up is answered, but for where too much is asked, or something fails."""

Send = Callable[[str], tuple[str, Mapping[str, str], Mapping[str, Any] | None]]
"""Returns the HTTP method, the headers and the message of a request with something that was stolen."""


class Thieves(Actor):
    """All of them."""

    kind: ClassVar[str] = "thief"
    weights: ClassVar[Weights] = {
        "uses a session": 4,
        "ends a session": 4,
        "resumes a stream": 15,
        "answers a request": 40,
    }
    lasts: ClassVar[bool] = False

    def __init__(self, world: World, clients: Sequence[Actor]) -> None:
        self.world = world
        self.clients = [each for each in clients if isinstance(each, Client2025)]

    def moves(self) -> Moves:
        able = [each for each in self.clients if each.session]
        pairs = [(one, other) for one in able for other in able if one.owner_key != other.owner_key]
        if not pairs:
            return {}
        thief, victim = self.world.random.choice(pairs)
        found: dict[str, tuple[list[str], Send]] = {
            "uses a session": ([str(victim.session)], _ping),
            "ends a session": ([str(victim.session)], _end),
            "resumes a stream": ([each.place for each in victim.streams if each.place], _resume),
            "answers a request": ([*victim.input_requests], _respond),
        }
        return {name: partial(self._try, thief, able, send) for name, (able, send) in found.items() if able}

    def _try(self, thief: Client2025, able: Sequence[str], send: Send) -> None:
        """Demand that a request with something that can be stolen is answered like one with what was made up."""
        session, stolen = str(thief.session), self.world.random.choice(able)
        said = []
        for value in (stolen, stolen[::-1]):
            http, headers, message = send(value)
            kinds = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
            own = {"mcp-session-id": session, "mcp-protocol-version": NAME}
            body = b"" if message is None else json.dumps(message).encode()
            received = thief.exchange(http, {**kinds, **own, **headers}, body)
            if received is None:
                return
            served = received.status in DONE or any("error" not in each for each in received.messages)
            self.world.demand(not served, f"{thief.name} is served by what is another's: {received.messages}")
            said.append((received.status, json.dumps(received.messages).replace(value, "?")))
        # A limit may have been reached for one of them alone, and the thief's own session be over.
        if all(status in REJECTED for status, _ in said) and self.world.has_session(thief.owner_key, session):
            self.world.demand(said[0] == said[1], f"{thief.name} is told of what is another's: {said}")


def _ping(session: str) -> tuple[str, Mapping[str, str], Mapping[str, Any]]:
    return "POST", {"mcp-session-id": session}, {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def _end(session: str) -> tuple[str, Mapping[str, str], None]:
    return "DELETE", {"mcp-session-id": session}, None


def _resume(event_id: str) -> tuple[str, Mapping[str, str], None]:
    return "GET", {"last-event-id": event_id, "accept": "text/event-stream"}, None


def _respond(request_id: str) -> tuple[str, Mapping[str, str], Mapping[str, Any]]:
    result = {"action": "accept", "content": {"name": "thief"}}
    return "POST", {}, {"jsonrpc": "2.0", "id": request_id, "result": result}
