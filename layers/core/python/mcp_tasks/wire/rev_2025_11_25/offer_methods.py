"""Prompts, resources, and suggestions for what to fill in."""

from mcp_tasks.toolkit.context import Context
from mcp_tasks.toolkit.errors import ResourceNotFound
from mcp_tasks.wire import offers, paging
from mcp_tasks.wire.inline import InlineJournal
from mcp_tasks.wire.jsonrpc import RpcError
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call

RESOURCE_NOT_FOUND = -32002


def prompts_list(call: Call) -> Answer:
    """List the prompts."""
    entries = {prompt.name: prompt for prompt in call.server.features.prompts}
    shown, more = paging.page(call.server, call.caller, "prompts/list", call.params, entries)
    return {"prompts": [offers.shown_prompt(each) for each in shown], **more}


def prompts_get(call: Call) -> Answer:
    """Return a prompt's messages."""
    prompt = offers.find_prompt(call.server.features, call.params)
    return offers.get_prompt(prompt, call.params, _context(call))


def resources_list(call: Call) -> Answer:
    """List the resources that have one address each."""
    return _resources(call, "resources/list", "resources", templates=False)


def resources_templates_list(call: Call) -> Answer:
    """List the resources that have many."""
    return _resources(call, "resources/templates/list", "resourceTemplates", templates=True)


def resources_read(call: Call) -> Answer:
    """Return what is at an address."""
    uri = offers.uri_of(call.params)
    try:
        return {"contents": offers.read_resource(call.server.features, uri, _context(call)).contents}
    except ResourceNotFound as error:
        raise RpcError(RESOURCE_NOT_FOUND, f"There is no resource {uri!r}.", {"uri": uri}) from error


def completion_complete(call: Call) -> Answer:
    """Suggest what an argument could become."""
    return offers.complete(call.server.features, call.params, call.caller)


def _resources(call: Call, method: str, member: str, *, templates: bool) -> Answer:
    entries = {each.uri: each for each in call.server.features.resources.listed(templates=templates)}
    shown, more = paging.page(call.server, call.caller, method, call.params, entries)
    return {member: [offers.shown_resource(each) for each in shown], **more}


def _context(call: Call) -> Context:
    return Context(caller=call.caller, journal=InlineJournal())
