"""The official Python client 1.x calls each tool, and checks the result against the schema that it was listed.

python -m tests.clients.values.python_v1 URL
"""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def called(session: ClientSession, name: str) -> str:
    try:
        return "refused" if (await session.call_tool(name)).isError else "fits"
    except Exception as error:  # noqa: BLE001  # the client may raise anything
        return f"{type(error).__name__}: {error}"[:500]


async def main(url: str) -> None:
    async with streamable_http_client(url) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        found: dict[str, str] = {}
        cursor = None
        while not found or cursor:
            page = await session.list_tools(cursor)
            cursor = page.nextCursor
            found |= {each.name: await called(session, each.name) for each in page.tools}
        print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
