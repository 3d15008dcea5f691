"""The official Python client 2.x is asked by a plain call, behind which there is a task that it knows nothing of.

python -m tests.clients.answers.python_v2 URL TOKEN MODE
"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.clients.answers.user import User


async def called(url: str, token: str, mode: str, **callbacks: Any) -> str:
    """Call the tool and return what it says."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, **callbacks) as client,
    ):
        return str((await client.call_tool("brew")).content[0].text)


async def main(url: str, token: str, mode: str) -> None:
    user = User()
    answer = await called(url, token, mode, **user.callbacks)
    print(json.dumps({"called": [answer, *user.asked], "without_capabilities": [await called(url, token, mode)]}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
