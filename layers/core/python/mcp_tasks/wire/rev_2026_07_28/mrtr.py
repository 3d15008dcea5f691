"""Multi round-trip requests (MRTR): a call that needs input returns its input requests, and the client calls again.

A client may omit the `requestState` where its input responses are enough to replay the function.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded, NonDeterminismError
from mcp_tasks.authoring.errors import MissingCapability
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire import input_responses, notifications
from mcp_tasks.wire.capabilities import REQUIRED
from mcp_tasks.wire.fields import mapping, optional, request_id
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError
from mcp_tasks.wire.rev_2026_07_28 import render, request_state
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability
from mcp_tasks.wire.rev_2026_07_28.request_state import Replay


def journal(call: Call, *, may_become_task: bool = False) -> InlineJournal:
    """Return a journal that replays earlier runs of the call, with the new input responses; raises `RpcError`."""
    before = replay_of(call)
    # A new response replaces an earlier one of the same key, so that the client can correct an invalid one.
    responses = {**before.responses, **input_responses.given(call.params)}
    return InlineJournal(
        progress_token=_progress_token(call),
        threshold=call.log_level,
        client_capabilities=call.client_capabilities,
        replay_log=ReplayLog(responses=responses, steps=dict(before.steps), requested=before.requested),
        publish=partial(call.server.subscriptions.publish, call.caller),
        pause=call.server.tasks.sleep,
        may_become_task=may_become_task,
    )


def run(call: Call, function: Callable[[Context], Mapping[str, JSON]]) -> Answer:
    """Run the function of a prompt or a resource, and return its result or its input requests; raises `RpcError`."""
    kept = journal(call)
    try:
        result = function(Context(caller=call.caller, journal=kept))
    except InputNeeded as needed:
        result = input_required(call, needed.input_requests, replay=replay_after(kept))
    except BadInputResponse as error:
        raise bad_input(error) from error
    except NonDeterminismError as error:
        raise RpcError(INTERNAL_ERROR, str(error)) from error
    except MissingCapability as error:
        raise capability_error(error) from error
    return Streamed(notifications=notifications.messages(kept.reported, kept.progress_token), result=result)


def input_required(
    call: Call, input_requests: Sequence[InputRequest], *, replay: Replay | None = None, task: str | None = None
) -> dict[str, JSON]:
    """Return an `InputRequiredResult` with the `requestState` to send back; raises `RpcError` if that is too large."""
    state = request_state.written(call.server, call.caller, call.method, call.params, replay=replay, task=task)
    return render.input_required(input_requests, state)


def replay_of(call: Call) -> Replay:
    """Return what the `requestState` holds of earlier runs, empty on the first round trip; raises `RpcError`."""
    return call.state.replay if call.state else Replay({}, {}, [])


def replay_after(journal: InlineJournal) -> Replay:
    """Return what a run recorded, for the next run to replay; responses that no run requested are dropped."""
    replay_log = journal.replay_log
    responses = {key: answer for key, answer in replay_log.responses.items() if key in replay_log.requested}
    return Replay(responses, replay_log.steps, replay_log.requested)


def bad_input(error: BadInputResponse) -> RpcError:
    """Return the error for an input response that is invalid for its request."""
    return RpcError(INVALID_PARAMS, f"Invalid params: {error}.")


def capability_error(error: MissingCapability) -> RpcError:
    """Return the error for a call whose function needs a capability that the client did not declare."""
    return missing_capability(str(error), REQUIRED[error.capability])


def _progress_token(call: Call) -> RequestId | None:
    """Return the progress token of the request, if it has one; raises `RpcError`."""
    return optional(optional(call.params, "_meta", mapping) or {}, "progressToken", request_id, within="_meta.")
