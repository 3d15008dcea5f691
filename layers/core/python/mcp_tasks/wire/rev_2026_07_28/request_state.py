"""`requestState`: what the client carries from one MRTR round trip to the next, encrypted.

The server stores nothing between round trips.  Input responses and recorded steps travel in the state, which is valid
for the same caller, method and params only, and for `Server.request_state_lifetime`.  -- Multi Round-Trip Requests
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from mcp_tasks.limits.requests import MAX_REQUEST_STATE_CHARACTERS
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks import json_values
from mcp_tasks.tasks.json_values import READ_ERRORS, list_of, mapping, maybe
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.fields import optional, text
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from mcp_tasks.wire.revision import Server

PURPOSE: Final = "2026-07-28 round"

VARYING: Final = ("_meta", "inputResponses", "requestState")
"""Fields of the params that may differ between the round trips of one call."""


class Replay(NamedTuple):
    """What the next run replays: input responses by key, results of steps by name, and the keys requested, in order."""

    responses: dict[str, JSON]
    steps: dict[str, JSON]
    requested: list[str]


class RequestState(NamedTuple):
    """A decrypted `requestState`; `task` is the id of the task behind the call, if there is one.

    `key` is an idempotency key, so that a repeated request does not start a second task.
    """

    key: str
    replay: Replay
    task: str | None


def read(server: Server, caller: Caller, method: str, params: Mapping[str, JSON]) -> RequestState | None:
    """Return the state in the params, or None without one; raises `RpcError` if it is invalid, expired or misused."""
    state = optional(params, "requestState", text)
    if state is None:
        return None
    try:
        if len(state) > MAX_REQUEST_STATE_CHARACTERS:
            raise BadSignature
        found = server.encryptor.decrypt(state, purpose=PURPOSE, owner_key=caller.owner_key)
        call, replay, task = found["call"], _replay(found), maybe(found.get("task"), json_values.text)
    except (BadSignature, *READ_ERRORS) as error:
        raise RpcError(INVALID_PARAMS, "The requestState is not as it was given, or too old: call anew.") from error
    if call != _digest(method, params):
        raise RpcError(INVALID_PARAMS, "The requestState is that of another call: repeat its params as they were.")
    return RequestState("round " + hashlib.sha256(state.encode()).hexdigest(), replay, task)


def _replay(found: Mapping[str, JSON]) -> Replay:
    """Return the journal in a state, which another release may have written; raises one of `READ_ERRORS`."""
    responses = {key: mapping(response) for key, response in mapping(found.get("answers", {})).items()}
    requested = list_of(json_values.text)(found.get("asked", []))
    return Replay(responses, mapping(found.get("steps", {})), list(requested))


def written(
    server: Server, caller: Caller, method: str, params: Mapping[str, JSON], *, replay: Replay | None, task: str | None
) -> str:
    """Return the encrypted state for the client to send back; raises `RpcError` if it is too large."""
    kept: dict[str, JSON] = {"call": _digest(method, params)}
    if replay is not None:
        kept |= {"answers": replay.responses, "steps": replay.steps, "asked": replay.requested}
    if task is not None:
        kept |= {"task": task}
    state = server.encryptor.encrypt(
        kept, purpose=PURPOSE, owner_key=caller.owner_key, lifetime=server.request_state_lifetime
    )
    if len(state) > MAX_REQUEST_STATE_CHARACTERS:
        raise RpcError(
            INTERNAL_ERROR,
            "The requestState would be too long: this call keeps too much between its input requests. "
            "A tool that does so should run as a task.",
        )
    return state


def _digest(method: str, params: Mapping[str, JSON]) -> str:
    """Return a hash of the method and params that all round trips of one call have in common."""
    same = {name: value for name, value in params.items() if name not in VARYING}
    return hashlib.sha256(json.dumps([method, same], sort_keys=True).encode()).hexdigest()
