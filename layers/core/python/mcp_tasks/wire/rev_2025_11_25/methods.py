"""The methods of this revision; a method that is not in a table does not exist."""

from collections.abc import Mapping

from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2025_11_25 import shapes
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call, Method
from mcp_tasks.wire.rev_2025_11_25.task_methods import tasks_cancel, tasks_get, tasks_list, tasks_result
from mcp_tasks.wire.rev_2025_11_25.tool_methods import tools_call, tools_list


def ping(call: Call) -> Answer:
    """Say that this server, and the session, is there."""
    return {}


def logging_set_level(call: Call) -> Answer:
    """Remember from which level on the client wants log messages."""
    level = shapes.level(call.params)
    call.server.sessions.set_log_level(call.caller, call.session, level)
    return {}


METHODS: Mapping[str, Method] = {
    "ping": ping,
    "tools/list": tools_list,
    "tools/call": tools_call,
    "logging/setLevel": logging_set_level,
}

TASK_METHODS: Mapping[str, Method] = {
    "tasks/get": tasks_get,
    "tasks/result": tasks_result,
    "tasks/list": tasks_list,
    "tasks/cancel": tasks_cancel,
}


def find(call: Call, method: str) -> Method:
    """Return the method as far as the agreed version has it; raises `RpcError`."""
    found = METHODS.get(method) or (TASK_METHODS.get(method) if call.knows_tasks else None)
    if found is None:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {method!r} in version {call.session.version}.")
    return found
