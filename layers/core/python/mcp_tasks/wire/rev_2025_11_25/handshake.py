"""Before there is a session: which version is spoken, what this server can do, and whether it is there at all."""

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import jsonrpc, server_features
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import Request
from mcp_tasks.wire.rev_2025_11_25.call import NEWEST, VERSIONS
from mcp_tasks.wire.rev_2025_11_25.params import Initialize
from mcp_tasks.wire.rev_2025_11_25.server import SessionExchange


def negotiate(asked: str) -> str:
    """Return the version to speak with a client that asks for this one.

    "Otherwise, the server MUST respond with another protocol version it supports.  This SHOULD be the latest version
    supported by the server."  -- 2025-11-25, Lifecycle, Version Negotiation
    """
    return asked if asked in VERSIONS else NEWEST


def initialize(exchange: SessionExchange, request: Request) -> HttpReply:
    """Agree on a version and open a session."""
    server = exchange.server
    params = Initialize.of(request.params)
    version = negotiate(params.protocol_version)
    session = server.sessions.open(exchange.caller, version, params.capabilities)
    answer: dict[str, JSON] = {
        "protocolVersion": version,
        "capabilities": _capabilities(exchange, version),
        # Versions before this one know less of a server.
        "serverInfo": {**server.name_and_version, **(server.about if version == NEWEST else {})},
    }
    if server.instructions:
        answer["instructions"] = server.instructions
    return json_reply(jsonrpc.result(request.id, answer), headers={"mcp-session-id": session.id})


def ping(request: Request) -> HttpReply:
    """Say that this server is there."""
    return json_reply(jsonrpc.result(request.id, {}))


def _capabilities(exchange: SessionExchange, version: str) -> dict[str, JSON]:
    capabilities = server_features.capabilities(exchange.server.features)
    if version != NEWEST:
        # What is watched is told on streams that can be resumed, and there are none before the newest.
        return capabilities | ({"resources": {"listChanged": False}} if "resources" in capabilities else {})
    tasks: dict[str, JSON] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
    # Callers who cannot be told apart must not see each other's tasks.  -- Tasks, Security Considerations
    listed: dict[str, JSON] = {"list": {}} if exchange.caller.identified else {}
    return capabilities | {"tasks": tasks | listed, "extensions": {TASKS: {}}}
