"""`inputResponses`: the responses to the input requests of a call or of a task."""

from collections.abc import Mapping

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.wording import short
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, InputResponse, Task
from mcp_tasks.wire import authorization
from mcp_tasks.wire.fields import mapping, optional
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.revision import Server


def given(params: Mapping[str, JSON]) -> Mapping[str, Mapping[str, JSON]]:
    """Return the responses by the keys of their input requests; raises `RpcError`."""
    answers = optional(params, "inputResponses", mapping) or {}
    for key, answer in answers.items():
        if not isinstance(answer, dict):
            raise RpcError(INVALID_PARAMS, f"Invalid params: inputResponses.{short(key)} should be an object.")
    return answers


def answer(server: Server, caller: Caller, task_id: str, params: Mapping[str, JSON]) -> Task:
    """Give a task the input responses in the params; raises `TaskNotFound` and `RpcError`.

    Keys that are unknown or answered already are ignored.
    """
    responses = {key: InputResponse(result=each) for key, each in given(params).items()}
    try:
        return server.suspension.answer(
            caller, task_id, responses, permit=lambda task: authorization.check_answer(server, caller, task)
        )
    except BadInputResponse as error:
        raise RpcError(INVALID_PARAMS, f"Invalid params: {error}.") from error
