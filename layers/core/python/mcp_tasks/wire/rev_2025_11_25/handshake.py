"""Requests outside of a session: `initialize`, which opens one, and `ping`."""

from mcp_tasks.engine.current_call import note_event
from mcp_tasks.tasks.errors import LimitReached
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import apps, jsonrpc, server_features
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import Request
from mcp_tasks.wire.refusals import refusal
from mcp_tasks.wire.rev_2025_11_25.params import Initialize
from mcp_tasks.wire.rev_2025_11_25.server import SessionExchange
from mcp_tasks.wire.rev_2025_11_25.versions import NEWEST, VERSIONS


def negotiate(requested: str) -> str:
    """Return the version to agree on with a client that requests this one.

    "Otherwise, the server MUST respond with another protocol version it supports.  This SHOULD be the latest version
    supported by the server."  -- 2025-11-25, Lifecycle, Version Negotiation
    """
    return requested if requested in VERSIONS else NEWEST


def initialize(exchange: SessionExchange, request: Request) -> HttpReply:
    """Open a session in a version that both sides speak, and answer with the server's capabilities."""
    server = exchange.server
    params = Initialize.of(request.params)
    version = negotiate(params.protocol_version)
    try:
        server.admission.begin_session(exchange.caller)
    except LimitReached as error:
        raise refusal(error) from error
    session = server.sessions.open(exchange.caller, version, params.capabilities)
    note_event("session.opened", hashed(session.id), session=hashed(session.id))
    answer: dict[str, JSON] = {
        "protocolVersion": version,
        "capabilities": _capabilities(exchange, version, shows_apps=apps.is_declared(params.capabilities)),
        # In the earlier versions an `Implementation` has a name and a version only.
        "serverInfo": {**server.name_and_version, **(server.about if version == NEWEST else {})},
    }
    if server.instructions:
        answer["instructions"] = server.instructions
    return json_reply(jsonrpc.result(request.id, answer), headers={"mcp-session-id": session.id})


def ping(request: Request) -> HttpReply:
    """Answer a ping that comes without a session."""
    return json_reply(jsonrpc.result(request.id, {}))


def _capabilities(exchange: SessionExchange, version: str, *, shows_apps: bool) -> dict[str, JSON]:
    capabilities = server_features.capabilities(exchange.server.features)
    if version != NEWEST:
        # Changes of resources are sent on streams that can be resumed, which only the newest version has.
        return capabilities | ({"resources": {"listChanged": False}} if "resources" in capabilities else {})
    if shows_apps:
        capabilities = apps.capabilities(capabilities)
    tasks: dict[str, JSON] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
    # Callers who cannot be told apart must not see each other's tasks.  -- Tasks, Security Considerations
    listed: dict[str, JSON] = {"list": {}} if exchange.caller.identified else {}
    return capabilities | {"tasks": tasks | listed, "extensions": {TASKS: {}}}
