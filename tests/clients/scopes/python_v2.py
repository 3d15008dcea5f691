"""The official Python client 2.x finds the authorization server, logs in, and asks for more where a tool needs it.

python -m tests.clients.scopes.python_v2 URL MODE
"""

import asyncio
import json
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

REDIRECT = "http://127.0.0.1:9/callback"


class Storage:
    """Keeps what was granted while the client runs."""

    def __init__(self) -> None:
        self._tokens: OAuthToken | None = None
        self._client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


class User:
    """Logs in with a browser, which follows redirects with its cookies until it is sent back to the client."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def log_in(self, page: str) -> None:
        self.asked.append(parse_qs(urlsplit(page).query)["scope"][0])
        async with httpx2.AsyncClient() as browser:
            while not page.startswith(REDIRECT):
                response = await browser.get(page)
                page = str(response.url.join(response.headers["location"]))
        self._back = {name: value for name, (value,) in parse_qs(urlsplit(page).query).items()}

    async def come_back(self) -> AuthorizationCodeResult:
        if "error" in self._back:
            raise RuntimeError(self._back["error"])
        return AuthorizationCodeResult(**self._back)


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
    user, said = User(), {}
    wanted = OAuthClientMetadata(client_name="tests", redirect_uris=[REDIRECT])
    auth = OAuthClientProvider(url, wanted, Storage(), user.log_in, user.come_back)
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
