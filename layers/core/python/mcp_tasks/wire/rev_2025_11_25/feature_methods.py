"""The methods of prompts and resources, and `completion/complete`."""

from functools import partial

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import ResourceNotFound
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.limits.requests import MAX_SUBSCRIPTIONS
from mcp_tasks.wire import apps, authorization, paging, server_features
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call
from mcp_tasks.wire.rev_2025_11_25.subscriptions import TooManySubscriptions

RESOURCE_NOT_FOUND = -32002


def prompts_list(call: Call) -> Answer:
    """Return a page of the server's prompts."""
    entries = {prompt.name: prompt for prompt in call.server.features.prompts}
    shown, more = paging.page(call.server, call.caller, "prompts/list", call.params, entries)
    return {"prompts": [server_features.shown_prompt(each) for each in shown], **more}


def prompts_get(call: Call) -> Answer:
    """Return the messages of a prompt, filled with the arguments of the request."""
    prompt = server_features.find_prompt(call.server.features, call.params)
    authorization.check_prompt(call.caller, prompt)
    return server_features.get_prompt(prompt, call.params, _context(call))


def resources_list(call: Call) -> Answer:
    """Return a page of the resources that have one URI each."""
    return _resources(call, "resources/list", "resources", templates=False)


def resources_templates_list(call: Call) -> Answer:
    """Return a page of the resources that have a URI template."""
    return _resources(call, "resources/templates/list", "resourceTemplates", templates=True)


def resources_read(call: Call) -> Answer:
    """Return the contents of the resource at a URI."""
    uri = server_features.uri_of(call.params)
    authorization.check_resources(call.server, call.caller, [uri])
    if uri == apps.CONSOLE and call.shows_apps:
        return {"contents": apps.contents()}
    try:
        return {"contents": server_features.read_resource(call.server.features, uri, _context(call)).contents}
    except ResourceNotFound as error:
        raise _resource_not_found(call, uri) from error


def resources_subscribe(call: Call) -> Answer:
    """Subscribe the session to the changes of a resource."""
    try:
        call.server.subscriptions.subscribe(call.caller, call.session.id, _watchable_uri(call))
    except TooManySubscriptions as error:
        raise RpcError(
            INVALID_PARAMS,
            f"A session can subscribe to {MAX_SUBSCRIPTIONS} resources at most: unsubscribe from one first.",
        ) from error
    return {}


def resources_unsubscribe(call: Call) -> Answer:
    """End the session's subscription to a resource."""
    call.server.subscriptions.unsubscribe(call.caller, call.session.id, server_features.uri_of(call.params))
    return {}


def completion_complete(call: Call) -> Answer:
    """Return suggestions for an argument of a prompt or a resource template."""
    return server_features.complete(call.server.features, call.params, call.caller)


def _resources(call: Call, method: str, field: str, *, templates: bool) -> Answer:
    entries = {each.uri: each for each in call.server.features.resources.listed(templates=templates)}
    shown, more = paging.page(call.server, call.caller, method, call.params, entries)
    return {field: [server_features.shown_resource(each) for each in shown], **more}


def _watchable_uri(call: Call) -> str:
    uri = server_features.uri_of(call.params)
    authorization.check_resources(call.server, call.caller, [uri])
    try:
        return server_features.watched_uri(call.server.features, uri)
    except ResourceNotFound as error:
        raise _resource_not_found(call, uri) from error


def _resource_not_found(call: Call, uri: str) -> RpcError:
    return RpcError(RESOURCE_NOT_FOUND, server_features.no_resource(call.server.features, uri), {"uri": uri})


def _context(call: Call) -> Context:
    publish = partial(call.server.subscriptions.publish, call.caller)
    return Context(caller=call.caller, journal=InlineJournal(publish=publish, pause=call.server.tasks.sleep))
