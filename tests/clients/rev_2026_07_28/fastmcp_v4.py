"""FastMCP's client 4.x, which has the tasks of 2026-07-28: it polls them, with and without being asked to.

python -m tests.clients.rev_2026_07_28.fastmcp_v4 URL TOKEN
"""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

# Importing it is what makes the client declare the extension.
from fastmcp_tasks import call_tool_task


def text(result: Any) -> str:
    return str(result.content[0].text)


async def sample_tools(client: Client) -> dict[str, Any]:
    greeting = await client.call_tool("greet", {"name": "Ada"})
    task = await call_tool_task(client, "slow_compute", {"seconds": 3, "label": "tea"})
    result = await task.result()
    completed = await task.status()

    # One that the caller takes for a plain call.
    failure = await client.call_tool("failing_job", raise_on_error=False)

    hopeless = await call_tool_task(client, "slow_compute", {"seconds": 60, "label": "never"})
    await hopeless.cancel()
    cancelled = await hopeless.wait()
    return {
        "greeting": text(greeting),
        "created": task.create_result.status,
        "final_status": completed.status,
        "result": text(result),
        "failure": text(failure),
        "cancelled": cancelled.status,
    }


async def main(url: str, token: str) -> None:
    async with Client(StreamableHttpTransport(url, auth=token)) as client:
        print(json.dumps({"revision": client.session.protocol_version} | await sample_tools(client)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
