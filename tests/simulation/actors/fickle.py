"""Answers of a client of 2026-07-28 that is not of one mind: over the round trips of a call it changes what it said."""

from typing import TYPE_CHECKING, Any, Final

from tests.simulation.chances import CHANGES
from tests.simulation.laws.calls import BAD, RoundTrip

if TYPE_CHECKING:
    from tests.simulation.actors.client_2026 import Client2026

NEVER_ASKED: Final = {"name": "elicitation/create", "more": "roots/list", "nothing": "roots/list"}
"""What a client may answer before it is asked, or although it never is."""


def changed(client: "Client2026", trip: RoundTrip, responses: dict[str, Any]) -> dict[str, Any]:
    """Return the responses to what a round trip asks, where its client changes, forgets, spoils or adds some.

    What was drawn for others is as it was: this draws apart from it.
    """
    apart = client.world.apart

    def some(methods: dict[str, str]) -> dict[str, Any]:
        return {key: _response(client, methods[key]) for key in methods if apart.random() < CHANGES}

    earlier = {key: method for key, method in trip.call.asked.items() if key not in trip.requests}
    unasked = {key: method for key, method in NEVER_ASKED.items() if key not in trip.call.asked}
    kept = {key: each for key, each in responses.items() if apart.random() >= CHANGES / 3}
    given = {**kept, **some(earlier), **some(unasked)}
    spoilt = [key for key in given if key in trip.call.asked and apart.random() < CHANGES / 2]
    if given != responses or spoilt:
        client.world.trace.say(f"  answers {', '.join(given) or 'nothing'}; badly: {', '.join(spoilt) or 'none'}")
    return {**given, **dict.fromkeys(spoilt, BAD)}


def _response(client: "Client2026", method: str) -> dict[str, Any]:
    """Return an answer that nobody gave before."""
    number = client.world.apart.randrange(10**6)
    if method == "roots/list":
        return {"roots": [{"uri": f"file:///again-{number}"}]}
    return {"action": "accept", "content": {"name": f"again-{number}"}}
