"""What must hold of a call over all its round trips.

A `requestState` is valid where it was given, and nowhere else.  Of several responses to one input request the last one
counts, so that a client can correct one; those to what the call has not asked by the end of that round trip count for
nothing.  A response that does not fit its input request is rejected.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.limits.waits import REQUEST_STATE_LIFETIME
from mcp_tasks.tasks.model import InputResponse
from tests.simulation.deployed.tools import value_of
from tests.simulation.process import CallRecord

if TYPE_CHECKING:
    from tests.simulation.world import World

NOT_VALID = "The requestState"
"""How a rejection begins that is about the state."""

INLINE: Final = ("confirm",)
"""The tools that run within their calls to the end."""

BAD: Final[dict[str, Any]] = {"action": "accept", "content": {"name": 7}, "roots": 7}
"""A response that fits no input request."""


def is_bad(responses: Mapping[str, Any]) -> bool:
    """Return whether any of these fits no input request."""
    return any(response == BAD for response in responses.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrip:
    """A call that was answered with input requests, and may be repeated with the responses.

    Its client declared what it `declares`.  The state was made `since` or later, and `until` or earlier.
    """

    owner_key: str
    params: Mapping[str, Any]
    meta: Mapping[str, str]
    declares: bool
    state: str
    requests: Mapping[str, Any]
    call: CallRecord
    since: datetime
    until: datetime


@dataclass(slots=True)
class Calls:
    """The round trips of all clients, and what comes of them."""

    world: "World"
    given: list[RoundTrip] = field(default_factory=list)
    tasks: dict[str, str] = field(default_factory=dict)
    """The task that each state led to."""

    def repeated(self, trip: RoundTrip, message: Mapping[str, Any], *, since: datetime) -> None:
        """Demand that a state is accepted for as long as it is valid, and no longer; it was sent `since` or later."""
        rejected = message.get("error", {}).get("message", "").startswith(NOT_VALID)
        valid = self.world.clock.now() < trip.since + REQUEST_STATE_LIFETIME
        self.world.demand(not (valid and rejected), "a requestState is rejected before its time is over")
        over = since >= trip.until + REQUEST_STATE_LIFETIME
        self.world.demand(not (over and "result" in message), "a requestState is accepted after its time is over")

    def answered(self, trip: RoundTrip, call: CallRecord, message: Mapping[str, Any]) -> None:
        """Demand that a call that runs within its request does not go on from a response that does not fit."""
        bad = trip.params["name"] in INLINE and is_bad(call.responses)
        self.world.demand(not (bad and "result" in message), "a call goes on from a response that does not fit")

    def led_to(self, trip: RoundTrip, task_id: str) -> None:
        """Demand that a state leads to one task, however often it is sent, for as long as that is kept."""
        known, name = self.tasks.setdefault(trip.state, task_id), self.world.trace.name
        one = known == task_id or not self.world.store.is_kept(known)
        self.world.demand(one, f"one requestState led to {name(known)} and to {name(task_id)}")

    def forged(self, how: str, message: Mapping[str, Any]) -> None:
        """Demand that a state is rejected that was not given for the request that it came with."""
        self.world.demand("result" not in message, f"a requestState is accepted that is {how}")

    def completed(self, call: CallRecord, result: Mapping[str, Any]) -> None:
        """Demand that a call without a task is answered with what its steps did, and with what its client responded."""
        text = result["content"][0]["text"]
        try:
            said: dict[str, Any] = json.loads(text)
        except ValueError:
            self.world.demand(False, f"a call failed: {text}")
            return
        for key, value in said.items():
            given = value_of(InputResponse(result=call.responses.get(key)))
            known = call.steps.get(key, given)
            self.world.demand(key == "owner" or value == known, f"a call says {value} for {key}, not {known}")
