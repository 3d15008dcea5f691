"""Contexts whose client declares every capability, sample responses, and a helper that replays a call until it ends."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from mcp_tasks import Context, Form
from mcp_tasks.authoring.control_signals import InputNeeded
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import AwaitsInput
from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire.capabilities import REQUIRED
from tests.kit import ADA

EVERYTHING = frozenset(REQUIRED)


Answers: TypeAlias = ReplayLog[Mapping[str, JSON]]
"""What earlier round trips of a call left."""


class Name(Form):
    name: str


class Confirmation(Form):
    ok: bool


def run_context(
    replay_log: ReplayLog[Any] | None = None, *, client_capabilities: frozenset[str] = EVERYTHING
) -> Context:
    """Return the context of one run whose client has these capabilities."""
    return Context(
        caller=ADA, journal=InlineJournal(client_capabilities=client_capabilities, replay_log=replay_log or Answers())
    )


def accepted(**content: JSON) -> dict[str, JSON]:
    """Return a form as a client sends it back."""
    return {"action": "accept", "content": content}


def sampled(text: str) -> dict[str, JSON]:
    """Return a valid sampling response with this text."""
    return {"role": "assistant", "model": "m-1", "content": {"type": "text", "text": text}, "stopReason": "endTurn"}


def input_request(key: str) -> InputRequest:
    """Return an input request with this key."""
    return InputRequest(key=key, method="roots/list", params={})


def plain(key: str) -> str:
    """Return a key without the digest of what is asked, which those that the server makes end with."""
    return re.sub(r"(-[0-9]+)-[0-9a-f]{6}$", r"\1", key)


def run_to_end(run: Callable[[Context], Any], responses: Mapping[str, JSON]) -> list[Any]:
    """Replay a run until it requests no more input; return the keys that each run requested, then its result.

    Keys are without digests here, in what is given as in what is returned.
    """
    replay_log, runs = Answers(), list[Any]()
    while len(runs) <= len(responses):
        ended = _ended(run, run_context(replay_log))
        if not isinstance(ended, AwaitsInput):
            return [*runs, ended]
        keys = [each.key for each in ended.input_requests]
        runs.append([plain(key) for key in keys])
        # As the client returns it in the next MRTR round trip.
        answered = replay_log.responses | {key: responses[plain(key)] for key in keys}
        kept = json.loads(json.dumps([answered, replay_log.steps, replay_log.requested]))
        replay_log = Answers(responses=kept[0], steps=kept[1], requested=kept[2])
    raise AssertionError(f"it never stops requesting input: {runs}")


def _ended(run: Callable[[Context], Any], context: Context) -> Any:
    """Return the result of a run; of a plain function, the control signal that ended it."""
    try:
        return run(context)
    except InputNeeded as ends:
        return AwaitsInput(ends.input_requests)
