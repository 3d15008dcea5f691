"""FastMCP's client 4.x is asked by a task: one that it takes for a plain call, and one that it has in hand.

python -m tests.clients.rev_2026_07_28.answers.fastmcp_v4 URL TOKEN
"""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

# Importing it is what makes the client declare the extension.
from fastmcp_tasks import call_tool_task

from tests.clients.answers.user import FORMS


async def called(client: Client) -> Any:
    return await client.call_tool("brew")


async def in_hand(client: Client) -> Any:
    task = await call_tool_task(client, "brew")
    return await task.result()


async def main(url: str, token: str) -> None:
    asked: list[str] = []

    async def fill_in(message: str, form: Any, params: Any, context: Any) -> Any:
        asked.append(message)
        return FORMS[message]

    output = {}
    async with Client(StreamableHttpTransport(url, auth=token), elicitation_handler=fill_in) as client:
        for way in (called, in_hand):
            asked.clear()
            output[way.__name__] = [str((await way(client)).content[0].text), *asked]
    async with Client(StreamableHttpTransport(url, auth=token)) as client:
        output["without_capabilities"] = [str((await called(client)).content[0].text)]
    print(json.dumps(output))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
