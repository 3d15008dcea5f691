"""The official Python client 2.x, which has no tasks: its calls wait, and return a task handle if they last longer.

python -m tests.clients.python_v2 URL TOKEN MODE
"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client


def text(result: types.CallToolResult) -> str:
    return str(result.content[0].text)


async def rejection(client: Client, name: str) -> int:
    try:
        await client.call_tool(name)
    except MCPError as error:
        return int(error.code)
    raise AssertionError(f"{name} was not refused")


async def sample_tools(client: Client) -> dict[str, Any]:
    listed = {tool.name for tool in (await client.list_tools()).tools}
    greeting = await client.call_tool("greet", {"name": "Ada"})
    result = await client.call_tool("slow_compute", {"seconds": 3, "label": "tea"})

    task_handle = (await client.call_tool("dawdle", {"seconds": 3})).structured_content
    fetched = await client.call_tool("task_result", {"task_id": task_handle["task_id"], "wait_seconds": 20})

    hopeless = (await client.call_tool("dawdle", {"seconds": 60})).structured_content
    cancelled = await client.call_tool("task_cancel", {"task_id": hopeless["task_id"]})
    return {
        "task_tools": sorted(name for name in listed if name.startswith("task_")),
        "greeting": text(greeting),
        "result": text(result),
        "task_handle": task_handle["status"],
        "fetched": text(fetched),
        "cancelled": text(cancelled),
        "rejection": await rejection(client, "failing_job"),
    }


async def main(url: str, token: str, mode: str) -> None:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        print(json.dumps({"revision": client.protocol_version} | await sample_tools(client)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
