"""The official Python client 1.x finds the authorization server, logs in, and asks for more where a tool needs it.

python -m tests.clients.rev_2025_11_25.scopes.python_v1 URL
"""

import asyncio
import json
import sys
from typing import Any

import httpx
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from tests.clients.scopes.user import REDIRECT, Storage, User


async def calls(session: ClientSession) -> dict[str, Any]:
    greeting = await session.call_tool("greet", {"name": "Ada"})
    task = (await session.call_tool("publish", {"seconds": 0.5})).structuredContent
    fetched = await session.call_tool("task_result", {"task_id": task["task_id"], "wait_seconds": 20})
    return {
        "greeting": greeting.content[0].text,
        "task": task["status"],
        "published": fetched.content[0].text,
    }


async def main(url: str) -> None:
    user = User(httpx.AsyncClient)

    async def come_back() -> tuple[str, str]:
        back = user.came_back()
        return back["code"], back["state"]

    wanted = OAuthClientMetadata(client_name="tests", redirect_uris=[REDIRECT])
    auth = OAuthClientProvider(url, wanted, Storage(), user.log_in, come_back)
    async with (
        httpx.AsyncClient(auth=auth, timeout=60) as http,
        streamable_http_client(url, http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        print(json.dumps(await calls(session) | {"asked": user.asked}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
