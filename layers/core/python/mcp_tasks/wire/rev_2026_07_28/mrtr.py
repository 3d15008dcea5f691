"""Multi round-trip requests: a call that needs input is answered with the input requests, and the client calls again.

Nothing is stored between the rounds.  What the function was told and what its steps recorded travels with the client,
locked away: it opens for the same caller, method and params only, and for `Server.round_lifetime`.  A client need not
give it back where its answers are all that there is to know.  -- Multi Round-Trip Requests
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded, NonDeterminismError
from mcp_tasks.authoring.errors import MissingCapability
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.security.signing import BadSeal
from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire import input_responses
from mcp_tasks.wire.capabilities import REQUIRED
from mcp_tasks.wire.fields import mapping, optional, request_id, text
from mcp_tasks.wire.inline import InlineJournal
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability

PURPOSE: Final = "2026-07-28 round"

OF_A_ROUND: Final = ("_meta", "inputResponses", "requestState")
"""Members of the params that differ from round to round."""

LONGEST_STATE: Final = 200_000
"""Characters; it comes back with every round."""


def play(call: Call, run: Callable[[Context], Mapping[str, JSON]], kind: type[InlineJournal] = InlineJournal) -> Answer:
    """Run what may ask, with the answers there are; the result is its own, or the input requests that are left."""
    journal = _journal(call, kind)
    try:
        result = run(Context(caller=call.caller, journal=journal))
    except InputNeeded as needed:
        result = asked(call, needed.input_requests, _left(journal.replay_log))
    except BadInputResponse as error:
        raise RpcError(INVALID_PARAMS, f"Invalid params: {error}.") from error
    except NonDeterminismError as error:
        raise RpcError(INTERNAL_ERROR, str(error)) from error
    except MissingCapability as error:
        raise missing_capability(str(error), REQUIRED[error.capability]) from error
    return Streamed(told=[*journal.told, *call.told], result=result)


def known(call: Call) -> Mapping[str, JSON] | None:
    """Return what an earlier round of the call left, if there was one; raises `RpcError`."""
    state = optional(call.params, "requestState", text)
    if state is None:
        return None
    try:
        if len(state) > LONGEST_STATE:
            raise BadSeal
        found = call.server.vault.open(state, purpose=PURPOSE, owner_key=call.caller.owner_key)
    except BadSeal as error:
        raise RpcError(INVALID_PARAMS, "The requestState is not as it was given, or too old: call anew.") from error
    if found["call"] != _digest(call):
        raise RpcError(INVALID_PARAMS, "The requestState is that of another call: repeat its params as they were.")
    return found


def name(call: Call) -> str | None:
    """Return what names the round, so that what it starts is not started again when the round is repeated."""
    state = optional(call.params, "requestState", text)
    return None if state is None else "round " + hashlib.sha256(state.encode()).hexdigest()


def asked(call: Call, input_requests: Sequence[InputRequest], left: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a result that asks, and leaves something for the next round; raises `RpcError`."""
    value = {"call": _digest(call), **left}
    state = call.server.vault.lock(
        value, purpose=PURPOSE, owner_key=call.caller.owner_key, lifetime=call.server.round_lifetime
    )
    if len(state) > LONGEST_STATE:
        raise RpcError(INTERNAL_ERROR, "There is too much to remember until the client answers: this should be a task.")
    return render.input_required(input_requests, state)


def progress_token(call: Call) -> RequestId | None:
    """Return the client's name for the call where it wants to hear of progress; raises `RpcError`."""
    return optional(optional(call.params, "_meta", mapping) or {}, "progressToken", request_id, within="_meta.")


def _journal(call: Call, kind: type[InlineJournal]) -> InlineJournal:
    return kind(
        token=progress_token(call),
        threshold=call.log_level,
        client_capabilities=call.client_capabilities,
        replay_log=_replay_log(call),
        post=partial(call.server.subscriptions.post, call.caller),
    )


def _replay_log(call: Call) -> ReplayLog[Mapping[str, JSON]]:
    left = known(call) or {"answers": {}, "steps": {}, "asked": []}
    # What is answered once more is answered anew, or a wrong answer could never be put right.
    return ReplayLog(
        responses=left["answers"] | input_responses.given(call.params), steps=left["steps"], requested=left["asked"]
    )


def _left(replay_log: ReplayLog[Mapping[str, JSON]]) -> dict[str, JSON]:
    responses = {key: answer for key, answer in replay_log.responses.items() if key in replay_log.requested}
    return {"answers": responses, "steps": replay_log.steps, "asked": replay_log.requested}


def _digest(call: Call) -> str:
    """Return what tells this call from others, whichever round it is in."""
    same = {name: value for name, value in call.params.items() if name not in OF_A_ROUND}
    return hashlib.sha256(json.dumps([call.method, same], sort_keys=True).encode()).hexdigest()
