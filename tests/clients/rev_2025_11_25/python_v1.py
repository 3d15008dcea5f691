"""The official Python client 1.x, which has the tasks of 2025-11-25: it polls them, and waits for them.

python -m tests.clients.rev_2025_11_25.python_v1 URL TOKEN
"""

import asyncio
import json
import sys
import warnings
from typing import Any

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client


def text(result: types.CallToolResult) -> str:
    return str(result.content[0].text)


async def sample_tools(session: ClientSession) -> dict[str, Any]:
    tasks = session.experimental
    listed = {tool.name: tool for tool in (await session.list_tools()).tools}
    greeting = await session.call_tool("greet", {"name": "Ada"})

    # One that is waited for, on connections that end and are resumed.
    created = (await tasks.call_tool_as_task("slow_compute", {"seconds": 3, "label": "tea"})).task
    result = await tasks.get_task_result(created.taskId, types.CallToolResult)
    completed = await tasks.get_task(created.taskId)

    # One that is polled.
    failing = (await tasks.call_tool_as_task("failing_job", {})).task
    polled = [task.status async for task in tasks.poll_task(failing.taskId)]
    failure = await tasks.get_task_result(failing.taskId, types.CallToolResult)

    hopeless = (await tasks.call_tool_as_task("slow_compute", {"seconds": 60, "label": "never"})).task
    cancelled = await tasks.cancel_task(hopeless.taskId)
    return {
        "support": listed["slow_compute"].execution.taskSupport,
        "greeting": text(greeting),
        "created": created.status,
        "final_status": completed.status,
        "result": text(result),
        "failed": polled[-1],
        "failure": text(failure),
        "cancelled": cancelled.status,
    }


async def main(url: str, token: str) -> None:
    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client,
        streamable_http_client(url, http_client=client) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        greeted = await session.initialize()
        print(json.dumps({"revision": greeted.protocolVersion} | await sample_tools(session)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the client calls its own tasks experimental, at every step
    asyncio.run(main(*sys.argv[1:]))
