"""LangChain's MCP adapter asks the tool `task_result` for a completed task, 20 at a time, in one session.

python -m tests.clients.throttled.langchain_adapter URL TOKEN TASK_ID TIMES
"""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

AT_ONCE = 20


async def main(url: str, token: str, task_id: str, times: str) -> None:
    server = {"transport": "streamable_http", "url": url}
    async with MultiServerMCPClient({"server": server}).session("server") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        turn = asyncio.Semaphore(AT_ONCE)

        async def poll() -> str:
            call = {"type": "tool_call", "id": "1", "name": "task_result", "args": {"task_id": task_id}}
            async with turn:
                try:
                    message = await tools["task_result"].ainvoke(call)
                except Exception as error:  # noqa: BLE001  # whatever its user is told
                    return f"{type(error).__name__}: {error}"
            return "".join(block["text"] for block in message.content)

        print(json.dumps({"told": await asyncio.gather(*(poll() for _ in range(int(times))))}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
