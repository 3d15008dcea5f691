"""`requestState`: what a call that was answered with input requests leaves with its client, to go on with.

Nothing is stored here.  What the function was told and what its steps recorded travels encrypted: it is good for the
same caller, method and params only, and for `Server.request_state_lifetime`.  -- Multi Round-Trip Requests
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from mcp_tasks.limits.requests import MAX_REQUEST_STATE_CHARACTERS
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.fields import optional, text
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from mcp_tasks.wire.revision import Server

PURPOSE: Final = "2026-07-28 round"

VARYING: Final = ("_meta", "inputResponses", "requestState")
"""Fields of the params that differ each time the client makes the call."""


class Replay(NamedTuple):
    """What earlier runs of the function got in response, what their steps recorded, and the keys of what they asked."""

    responses: dict[str, JSON]
    steps: dict[str, JSON]
    requested: list[str]


class RequestState(NamedTuple):
    """A state that a client sent back; `task` is the id of the task behind the call, if there is one.

    `key` names the state, so that what is started with it is not started again when the client repeats itself.
    """

    key: str
    replay: Replay
    task: str | None


def read(server: Server, caller: Caller, method: str, params: Mapping[str, JSON]) -> RequestState | None:
    """Return the state that a request brings, if it brings one; raises `RpcError`."""
    state = optional(params, "requestState", text)
    if state is None:
        return None
    try:
        if len(state) > MAX_REQUEST_STATE_CHARACTERS:
            raise BadSignature
        found = server.encryptor.decrypt(state, purpose=PURPOSE, owner_key=caller.owner_key)
    except BadSignature as error:
        raise RpcError(INVALID_PARAMS, "The requestState is not as it was given, or too old: call anew.") from error
    if found["call"] != _digest(method, params):
        raise RpcError(INVALID_PARAMS, "The requestState is that of another call: repeat its params as they were.")
    replay = Replay(found.get("answers", {}), found.get("steps", {}), found.get("asked", []))
    return RequestState("round " + hashlib.sha256(state.encode()).hexdigest(), replay, found.get("task"))


def written(
    server: Server, caller: Caller, method: str, params: Mapping[str, JSON], *, replay: Replay | None, task: str | None
) -> str:
    """Return the state that a client is to send back; raises `RpcError`."""
    kept: dict[str, JSON] = {"call": _digest(method, params)}
    if replay is not None:
        kept |= {"answers": replay.responses, "steps": replay.steps, "asked": replay.requested}
    if task is not None:
        kept |= {"task": task}
    state = server.encryptor.encrypt(
        kept, purpose=PURPOSE, owner_key=caller.owner_key, lifetime=server.request_state_lifetime
    )
    if len(state) > MAX_REQUEST_STATE_CHARACTERS:
        raise RpcError(INTERNAL_ERROR, "There is too much to remember until the client answers: this should be a task.")
    return state


def _digest(method: str, params: Mapping[str, JSON]) -> str:
    """Return what tells this call from others, however often it was made."""
    same = {name: value for name, value in params.items() if name not in VARYING}
    return hashlib.sha256(json.dumps([method, same], sort_keys=True).encode()).hexdigest()
