"""What `tools/list` and `tools/call` have in common in both revisions: params, lookup of tools, and errors."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, NamedTuple, Self

from mcp_tasks.engine.call_decisions import Result, Waited
from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.engine.task_tools import built_in
from mcp_tasks.engine.tool_calls import after_work
from mcp_tasks.features.tools import BUILT_IN, OPERATOR_TOOLS, Tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import ArgumentsTooLarge, KeyReused, LimitReached
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import authorization
from mcp_tasks.wire.fields import mapping, name, optional, request_id, required
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RequestId, RpcError
from mcp_tasks.wire.refusals import refusal
from mcp_tasks.wire.revision import Server

IDEMPOTENCY_KEY: Final = "io.github.mcp-task-server/idempotency-key"


class CallTool(NamedTuple):
    """The params of `tools/call` that both revisions have; `task` and `requestState` are read elsewhere."""

    name: str
    arguments: Mapping[str, JSON]
    progress_token: RequestId | None
    idempotency_key: str | None

    @classmethod
    def of(cls, params: Mapping[str, JSON]) -> Self:
        """Read the params; raises `RpcError`."""
        meta = optional(params, "_meta", mapping) or {}
        return cls(
            name=required(params, "name", name),
            arguments=optional(params, "arguments", mapping) or {},
            progress_token=optional(meta, "progressToken", request_id, within="_meta."),
            idempotency_key=optional(meta, IDEMPOTENCY_KEY, name, within="_meta."),
        )


def tools_for(
    server: Server, caller: Caller, *, knows_tasks: bool, starts_tasks: bool, shows_apps: bool = False
) -> Mapping[str, Tool]:
    """Return the tools to list to a caller, by name.

    A client that does not know tasks also gets the built-in task tools, and so does one that `shows_apps`, since its
    view can call nothing else, and with it the tools of an operator.  One that cannot start a task does not get tools
    that are always tasks, since it could never call them.
    """
    shown = [tool for tool in server.features.tools if starts_tasks or tool.tasks != "always"]
    own = () if knows_tasks and not shows_apps else built_in(server.tasks, caller)
    operates = server.own_tools(caller) if shows_apps else ()
    return {tool.name: tool for tool in (*shown, *own, *operates) if authorization.is_listed(server, caller, tool)}


def find_tool(server: Server, caller: Caller, wanted: str) -> Tool:
    """Return the tool of that name, listed to this client or not; raises `RpcError` if there is none."""
    # The built-in tools are made for each caller, and few calls are of one of them.
    own = (*built_in(server.tasks, caller), *server.own_tools(caller)) if wanted in BUILT_IN else ()
    tool = server.features.tools.find(wanted) or next((each for each in own if each.name == wanted), None)
    if tool is None:
        if wanted in OPERATOR_TOOLS:
            # Which auditors alone are told: to the caller there is no such tool.
            note_refusal("operators_only")
        raise RpcError(INVALID_PARAMS, f"There is no tool {wanted!r}; tools/list names them all.")
    return tool


@contextmanager
def rejections() -> Iterator[None]:
    """Turn the errors of starting a task into `RpcError`."""
    try:
        yield
    except LimitReached as error:
        raise refusal(error) from error
    except KeyReused as error:
        raise RpcError(INVALID_PARAMS, "The idempotency key was used before, for a different call.") from error
    except ArgumentsTooLarge as error:
        # Nothing is used up by a call that is too large, and no time makes it fit: the next one may have it all.
        note_refusal("arguments_bytes")
        sizes = {"limit": error.limit, "remaining": error.limit, "size": error.size}
        raise RpcError(INVALID_PARAMS, f"Too large: {error}.", {"reason": "arguments_bytes", **sizes}) from error


def answering(params: CallTool, result: Result) -> AbstractContextManager[None]:
    """Return the context in which the result of a call is rendered: one that must not be sent again is not to be."""
    is_own = isinstance(result, Waited) and result.is_own
    return after_work() if is_own and params.idempotency_key is None else nullcontext()
