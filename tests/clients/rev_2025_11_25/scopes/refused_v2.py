"""The official Python client 2.x has something of its own refused with 403, and then calls a tool that it may call.

python -m tests.clients.rev_2025_11_25.scopes.refused_v2 URL TOKEN request|notification|response
"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client

from tests.clients.answers.user import User

CANCELLED = types.CancelledNotification(params=types.CancelledNotificationParams(request_id=77))


async def refused(client: Client, what: str) -> None:
    match what:
        case "request":
            await client.call_tool("publish", {"seconds": 0})
        case "notification":
            await client.session.send_notification(CANCELLED)
        case "response":
            await client.call_tool("brew", read_timeout_seconds=5)


async def main(url: str, token: str, what: str) -> None:
    said: dict[str, Any] = {}
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode="legacy", **User().callbacks) as client,
    ):
        try:
            await refused(client, what)
        except MCPError as error:
            said["error"] = error.message
        said["afterwards"] = (await client.call_tool("greet", {"name": "Ada"})).content[0].text
    print(json.dumps(said))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
