"""The official Python client 2.x calls each tool, and checks the result against the schema that it was listed.

python -m tests.clients.values.python_v2 URL
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def called(client: Client, name: str) -> str:
    try:
        return "refused" if (await client.call_tool(name)).is_error else "fits"
    except Exception as error:  # noqa: BLE001  # the client may raise anything
        return f"{type(error).__name__}: {error}"[:500]


async def main(url: str) -> None:
    async with Client(streamable_http_client(url)) as client:
        found: dict[str, str] = {}
        cursor = None
        while not found or cursor:
            page = await client.list_tools(cursor=cursor)
            cursor = page.next_cursor
            found |= {each.name: await called(client, each.name) for each in page.tools}
        print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
