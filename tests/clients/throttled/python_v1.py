"""The official Python client 1.x polls a completed task, so many times, 20 at a time, and gets its result.

python -m tests.clients.throttled.python_v1 URL TOKEN TASK_ID TIMES
"""

import asyncio
import json
import sys
import warnings

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

AT_ONCE = 20


async def main(url: str, token: str, task_id: str, times: str) -> None:
    async with (
        httpx.AsyncClient(timeout=60) as client,
        streamable_http_client(url, http_client=client) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tasks, turn = session.experimental, asyncio.Semaphore(AT_ONCE)

        async def poll() -> str:
            async with turn:
                try:
                    return str((await tasks.get_task(task_id)).status)
                except Exception as error:  # noqa: BLE001  # whatever its user is told
                    return f"{type(error).__name__}: {error}"

        told = await asyncio.gather(*(poll() for _ in range(int(times))))
        result = await tasks.get_task_result(task_id, types.CallToolResult)
        print(json.dumps({"told": told, "result": result.content[0].text}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the client calls its own tasks experimental, at every step
    asyncio.run(main(*sys.argv[1:]))
