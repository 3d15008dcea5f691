"""URL elicitation before a call: this revision has no error for it, and requests it in an MRTR round trip instead.

"`URLElicitationRequiredError` (-32042) [...] MUST NOT be emitted."  -- 2026-07-28, Error Codes
"""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.authoring.errors import URL_REQUIRED
from mcp_tasks.features.results import failure
from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire import input_responses
from mcp_tasks.wire.capabilities import REQUIRED, capability_needed
from mcp_tasks.wire.extension import URL_ELICITATION_REQUIRED
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, HandlerError, RpcError
from mcp_tasks.wire.rev_2026_07_28 import mrtr, render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Method
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability

MRTR: Final = ("prompts/get", "resources/read")
"""The methods that may return input requests, beside `tools/call`, which handles its URLs itself."""


def answer(call: Call, method: Method) -> Answer:
    """Call a method, and turn its error that requires a URL elicitation into an input request; raises `RpcError`."""
    try:
        return method(call)
    except HandlerError as error:
        if error.code != URL_REQUIRED:
            raise
        if call.method not in MRTR:
            raise HandlerError(URL_ELICITATION_REQUIRED, str(error)) from error
        return input_required(call, str(error), error.data)


def input_required(call: Call, message: str, data: JSON) -> Mapping[str, JSON]:
    """Return an `InputRequiredResult` that elicits the URLs in the data of an error; raises `RpcError`.

    If the user declined one of them, the call has failed instead.
    """
    shown = enumerate(data["elicitations"], start=1)
    elicitations = [InputRequest(key=f"visit-{n}", method="elicitation/create", params=each) for n, each in shown]
    if capability_needed(elicitations[0]) not in call.client_capabilities:
        raise missing_capability(message, REQUIRED[capability_needed(elicitations[0])])
    given, keys = input_responses.given(call.params), [each.key for each in elicitations]
    if any(key in given and given[key].get("action") != "accept" for key in keys):
        refused = f"The user did not go where this sends them: {message}"
        if call.method != "tools/call":
            raise RpcError(INVALID_PARAMS, refused)
        return render.outcome(failure(refused))
    before = mrtr.replay_of(call)
    responses = before.responses | {key: each for key, each in given.items() if key not in keys}
    # Without the task behind the call, if there was one: it has ended, and the next round trip starts a new one.
    return mrtr.input_required(call, elicitations, replay=before._replace(responses=responses))
