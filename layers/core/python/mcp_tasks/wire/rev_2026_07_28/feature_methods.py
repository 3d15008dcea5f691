"""The methods of prompts, resources and completion."""

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import ResourceNotFound
from mcp_tasks.limits.waits import LISTS_FRESH
from mcp_tasks.wire import apps, authorization, paging, server_features
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.rev_2026_07_28 import mrtr, render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call


def prompts_list(call: Call) -> Answer:
    """Return one page of the prompts."""
    entries = {prompt.name: prompt for prompt in call.server.features.prompts}
    shown, more = paging.page(call.server, call.caller, "prompts/list", call.params, entries)
    return render.cached({"prompts": [server_features.shown_prompt(each) for each in shown], **more}, fresh=LISTS_FRESH)


def prompts_get(call: Call) -> Answer:
    """Return the messages of a prompt, or the input requests of its function."""
    prompt = server_features.find_prompt(call.server.features, call.params)
    authorization.check_prompt(call.caller, prompt)
    return mrtr.run(call, lambda context: render.complete(server_features.get_prompt(prompt, call.params, context)))


def resources_list(call: Call) -> Answer:
    """Return one page of the resources with a fixed URI."""
    return _resources(call, "resources/list", "resources", templates=False)


def resources_templates_list(call: Call) -> Answer:
    """Return one page of the resource templates."""
    return _resources(call, "resources/templates/list", "resourceTemplates", templates=True)


def resources_read(call: Call) -> Answer:
    """Return the contents at a URI, or the input requests of its function."""
    uri = server_features.uri_of(call.params)
    authorization.check_resources(call.server, call.caller, [uri])
    if uri == apps.CONSOLE and call.shows_apps:
        return render.cached({"contents": apps.contents()}, fresh=LISTS_FRESH)

    def read(context: Context) -> dict[str, object]:
        found = server_features.read_resource(call.server.features, uri, context)
        return render.cached({"contents": found.contents}, fresh=found.resource.ttl)

    try:
        return mrtr.run(call, read)
    except ResourceNotFound as error:
        raise RpcError(INVALID_PARAMS, server_features.no_resource(call.server.features, uri), {"uri": uri}) from error


def completion_complete(call: Call) -> Answer:
    """Return suggestions for the value of an argument."""
    return render.complete(server_features.complete(call.server.features, call.params, call.caller))


def _resources(call: Call, method: str, field: str, *, templates: bool) -> Answer:
    entries = {each.uri: each for each in call.server.features.resources.listed(templates=templates)}
    shown, more = paging.page(call.server, call.caller, method, call.params, entries)
    return render.cached({field: [server_features.shown_resource(each) for each in shown], **more}, fresh=LISTS_FRESH)
