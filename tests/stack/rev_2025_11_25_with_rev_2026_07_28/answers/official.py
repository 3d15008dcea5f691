"""A new client that responds to a task's input requests: the official one of 2025-11-25, in a session of its own.

python -m (this module) URL TOKEN TASK, with the Python that has the client
"""

import asyncio
import json
import sys
import warnings
from datetime import UTC, datetime
from typing import Any

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, token: str, task_id: str) -> None:
    asked: list[str] = []
    answered: list[str] = []

    async def agree(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        answered.append(datetime.now(UTC).isoformat())
        return types.ElicitResult(action="accept", content={"really": True})

    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client,
        streamable_http_client(url, http_client=client) as (read, write, _),
        ClientSession(read, write, elicitation_callback=agree) as session,
    ):
        await session.initialize()
        result = await session.experimental.get_task_result(task_id, types.CallToolResult)
    report = {"asked": asked, "answered_at": answered[0], "text": result.content[0].text}
    print(json.dumps(report))  # noqa: T201


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the client calls its own tasks experimental, at every step
    asyncio.run(main(*sys.argv[1:]))
