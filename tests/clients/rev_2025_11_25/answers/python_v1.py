"""The official Python client 1.x is asked: while it waits for a task, while it polls one, and by a plain call.

python -m tests.clients.rev_2025_11_25.answers.python_v1 URL TOKEN
"""

import asyncio
import json
import sys
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

from tests.clients.answers.user import User


def text(result: types.CallToolResult) -> str:
    return str(result.content[0].text)


async def start(session: ClientSession) -> str:
    return str((await session.experimental.call_tool_as_task("brew")).task.taskId)


async def waited(session: ClientSession) -> types.CallToolResult:
    return await session.experimental.get_task_result(await start(session), types.CallToolResult)


async def waited_twice(session: ClientSession) -> types.CallToolResult:
    """Wait for one task in two requests at once."""
    task_id = await start(session)
    both = (session.experimental.get_task_result(task_id, types.CallToolResult) for _ in range(2))
    one, other = await asyncio.gather(*both)
    assert one.content == other.content
    return one


async def polled(session: ClientSession) -> types.CallToolResult:
    """Ask for the result when there is one, and not before."""
    task_id = await start(session)
    statuses = [task.status async for task in session.experimental.poll_task(task_id)]
    assert statuses[-1] == "completed"
    return await session.experimental.get_task_result(task_id, types.CallToolResult)


async def called(session: ClientSession) -> types.CallToolResult:
    return await session.call_tool("brew")


@asynccontextmanager
async def connected(url: str, token: str, **callbacks: Any) -> AsyncIterator[ClientSession]:
    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client,
        streamable_http_client(url, http_client=client) as (read, write, _),
        ClientSession(read, write, **callbacks) as session,
    ):
        await session.initialize()
        yield session


async def main(url: str, token: str) -> None:
    output = {}
    user = User()
    async with connected(url, token, **user.callbacks) as session:
        for way in (waited, waited_twice, polled, called):
            user.asked.clear()
            output[way.__name__] = [text(await way(session)), *user.asked]
    clumsy = User(slips=1)
    async with connected(url, token, **clumsy.callbacks) as session:
        output["corrected"] = [text(await waited(session)), *clumsy.asked]
    async with connected(url, token) as session:
        output["without_capabilities"] = [text(await waited(session))]
    print(json.dumps(output))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the client calls its own tasks experimental, at every step
    asyncio.run(main(*sys.argv[1:]))
