"""The official Python client 1.x has something of its own refused with 403, and then calls a tool that it may call.

python -m tests.clients.rev_2025_11_25.scopes.refused_v1 URL TOKEN request|notification|response
"""

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any

import httpx
from anyio import ClosedResourceError
from httpx import HTTPStatusError
from mcp import ClientSession, McpError, types
from mcp.client.streamable_http import streamable_http_client

from tests.clients.answers.user import User

CANCELLED = types.CancelledNotification(params=types.CancelledNotificationParams(requestId=77))


async def refused(session: ClientSession, what: str) -> None:
    match what:
        case "request":
            await session.call_tool("publish", {"seconds": 0})
        case "notification":
            await session.send_notification(types.ClientNotification(CANCELLED))
        case "response":
            await session.call_tool("brew")


async def main(url: str, token: str, what: str) -> None:
    said: dict[str, Any] = {}
    try:
        async with (
            httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
            streamable_http_client(url, http_client=http) as (read, write, _),
            ClientSession(read, write, **User().callbacks) as session,
        ):
            await session.initialize()
            with suppress(McpError):
                await refused(session, what)
            said["afterwards"] = (await session.call_tool("greet", {"name": "Ada"})).content[0].text
    except* (HTTPStatusError, ClosedResourceError):
        said["ended"] = True
    print(json.dumps(said))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
