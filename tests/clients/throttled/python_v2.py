"""The official Python client 2.x, which has no tasks, asks the tool `task_result` for a completed task, 20 at a time.

python -m tests.clients.throttled.python_v2 URL TOKEN TASK_ID TIMES MODE
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

AT_ONCE = 20


async def main(url: str, token: str, task_id: str, times: str, mode: str) -> None:
    async with (
        httpx2.AsyncClient(timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        turn = asyncio.Semaphore(AT_ONCE)

        async def poll() -> str:
            async with turn:
                try:
                    return str((await client.call_tool("task_result", {"task_id": task_id})).content[0].text)
                except Exception as error:  # noqa: BLE001  # whatever its user is told
                    return f"{type(error).__name__}: {error}"

        told = await asyncio.gather(*(poll() for _ in range(int(times))))
        print(json.dumps({"revision": client.protocol_version, "told": told}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
