"""The methods of this revision, in one table for each condition under which a session has them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mcp_tasks.wire import authorization
from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2025_11_25 import extension, listening_stream, params
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call, Method
from mcp_tasks.wire.rev_2025_11_25.feature_methods import (
    completion_complete,
    prompts_get,
    prompts_list,
    resources_list,
    resources_read,
    resources_subscribe,
    resources_templates_list,
    resources_unsubscribe,
)
from mcp_tasks.wire.rev_2025_11_25.task_methods import tasks_cancel, tasks_get, tasks_list, tasks_result
from mcp_tasks.wire.rev_2025_11_25.tool_methods import tools_call, tools_list


def ping(call: Call) -> Answer:
    """Answer a ping in a session."""
    return {}


def logging_set_level(call: Call) -> Answer:
    """Keep the lowest level of the log messages that the client wants to be sent."""
    level = params.level(call.params)
    call.server.sessions.set_log_level(call.caller, call.session, level)
    return {}


METHODS: Mapping[str, Method] = {
    "ping": ping,
    "tools/list": tools_list,
    "tools/call": tools_call,
    "logging/setLevel": logging_set_level,
}

PROMPT_METHODS: Mapping[str, Method] = {
    "prompts/list": prompts_list,
    "prompts/get": prompts_get,
}

RESOURCE_METHODS: Mapping[str, Method] = {
    "resources/list": resources_list,
    "resources/templates/list": resources_templates_list,
    "resources/read": resources_read,
}

SUBSCRIPTION_METHODS: Mapping[str, Method] = {
    "resources/subscribe": resources_subscribe,
    "resources/unsubscribe": resources_unsubscribe,
}

TASK_METHODS: Mapping[str, Method] = {
    "tasks/get": tasks_get,
    "tasks/result": tasks_result,
    "tasks/list": tasks_list,
    "tasks/cancel": tasks_cancel,
}


COMPLETION_METHODS: Mapping[str, Method] = {"completion/complete": completion_complete}

OFFERED: Sequence[tuple[Mapping[str, Method], Callable[[Call], object]]] = (
    (METHODS, lambda call: True),
    # Before the tasks of this revision: two of its methods have the same names.
    (extension.METHODS, extension.is_active),
    (TASK_METHODS, lambda call: call.knows_tasks),
    (PROMPT_METHODS, lambda call: call.server.features.prompts),
    (RESOURCE_METHODS, lambda call: call.server.features.resources or call.shows_apps),
    (SUBSCRIPTION_METHODS, lambda call: listening_stream.can_subscribe(call.server, call.session)),
    (COMPLETION_METHODS, lambda call: call.server.features.prompts or call.server.features.resources),
)
"""The tables, each with what has to be true of a session and its server."""

NOTIFICATIONS: Final = tuple(
    f"notifications/{what}" for what in ("initialized", "cancelled", "progress", "roots/list_changed", "tasks/status")
)
"""The notifications that clients of this revision send; only cancellations have an effect."""

NAMES: Final = frozenset({"initialize", *NOTIFICATIONS, *(name for table, _ in OFFERED for name in table)})
"""All methods of this revision, with the one that opens a session."""


def find(call: Call, method: str) -> Method:
    """Return the method of this name; raises `RpcError` if the agreed version or this server does not have it.

    Raises `InsufficientScope` where the caller may not call it.
    """
    found = next((table[method] for table, is_offered in OFFERED if method in table and is_offered(call)), None)
    if found is None:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {method!r} in version {call.session.version}.")
    authorization.check_method(call.server, call.caller, method)
    return found
