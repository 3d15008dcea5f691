"""The official Python client 2.x finds the authorization server, logs in, and asks for more where a tool needs it.

python -m tests.clients.scopes.python_v2 URL MODE
"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from tests.clients.scopes.user import REDIRECT, Storage, User


async def greeting(client: Client) -> str:
    return str((await client.call_tool("greet", {"name": "Ada"})).content[0].text)


async def publish(client: Client) -> dict[str, Any]:
    try:
        task = (await client.call_tool("publish", {"seconds": 0.5})).structured_content
        fetched = await client.call_tool("task_result", {"task_id": task["task_id"], "wait_seconds": 20})
    except MCPError as error:
        return {"error": error.code, "challenge": error.data["challenge"], "afterwards": await greeting(client)}
    return {"task": task["status"], "published": fetched.content[0].text}


async def main(url: str, mode: str) -> None:
    user, said = User(httpx2.AsyncClient), {}

    async def come_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**user.came_back())

    wanted = OAuthClientMetadata(client_name="tests", redirect_uris=[REDIRECT])
    auth = OAuthClientProvider(url, wanted, Storage(), user.log_in, come_back)
    try:
        async with (
            httpx2.AsyncClient(auth=auth, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            said = {"revision": client.protocol_version, "greeting": await greeting(client)}
            said |= await publish(client)
    except* RuntimeError as ended:
        # The whole connection, not the one call.
        said |= {"ended": ended.exceptions[0].args[0]}
    print(json.dumps(said | {"asked": user.asked}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
