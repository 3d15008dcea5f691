"""The methods of this revision, by the features that a server needs to have them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mcp_tasks.features.listing import Features
from mcp_tasks.limits.waits import DISCOVERY_FRESH
from mcp_tasks.wire import apps, authorization, server_features
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Method
from mcp_tasks.wire.rev_2026_07_28.claim import NAME
from mcp_tasks.wire.rev_2026_07_28.feature_methods import (
    completion_complete,
    prompts_get,
    prompts_list,
    resources_list,
    resources_read,
    resources_templates_list,
)
from mcp_tasks.wire.rev_2026_07_28.listen import subscriptions_listen
from mcp_tasks.wire.rev_2026_07_28.task_methods import tasks_cancel, tasks_get, tasks_update
from mcp_tasks.wire.rev_2026_07_28.tool_methods import tools_call, tools_list


def server_discover(call: Call) -> Answer:
    """Return the supported versions, the server's capabilities and its instructions."""
    server = call.server
    offered = server_features.capabilities(server.features)
    found = {
        "supportedVersions": server.versions,
        "capabilities": {
            **(apps.capabilities(offered) if call.shows_apps else offered),
            "extensions": {TASKS: {}},
        },
        **({"instructions": server.instructions} if server.instructions else {}),
    }
    return render.cached(found, fresh=DISCOVERY_FRESH, public=not call.shows_apps)


METHODS: Mapping[str, Method] = {
    "server/discover": server_discover,
    "tools/list": tools_list,
    "tools/call": tools_call,
    "tasks/get": tasks_get,
    "tasks/update": tasks_update,
    "tasks/cancel": tasks_cancel,
    "subscriptions/listen": subscriptions_listen,
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


COMPLETION_METHODS: Mapping[str, Method] = {"completion/complete": completion_complete}

OFFERED: Sequence[tuple[Mapping[str, Method], Callable[[Features, Call], object]]] = (
    (METHODS, lambda features, call: True),
    (PROMPT_METHODS, lambda features, call: features.prompts),
    (RESOURCE_METHODS, lambda features, call: features.resources or call.shows_apps),
    (COMPLETION_METHODS, lambda features, call: features.prompts or features.resources),
)
"""The tables, each with what has to be true of a server's features, or of the call."""

NAMES: Final = frozenset(name for table, _ in OFFERED for name in table)
"""All methods of this revision, which has no notifications from clients."""


def find(call: Call) -> Method:
    """Return the function of the request's method; raises `RpcError` if this server does not have it.

    Raises `InsufficientScope` where the caller may not call it.
    """
    method, features = call.method, call.server.features
    found = next(
        (table[method] for table, is_offered in OFFERED if method in table and is_offered(features, call)), None
    )
    if found is None:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {call.method!r} in version {NAME}.")
    authorization.check_method(call.server, call.caller, method)
    return found
