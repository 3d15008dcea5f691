"""LangChain's MCP adapter, which has no tasks: a tool with its own state machine, used as a model would use it.

It opens a session for each call.  All that is read here is what the adapter puts before a model.

python -m tests.clients.rev_2025_11_25.langchain_adapter URL TOKEN
"""

import asyncio
import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient

SECONDS = 8


class Model:
    """Calls tools by their names, and reads the content of the messages that come back."""

    def __init__(self, tools: Mapping[str, Any]) -> None:
        self.tools = tools

    async def call(self, name: str, **arguments: Any) -> str:
        call = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
        message = await self.tools[name].ainvoke(call)
        return "".join(block["text"] for block in message.content)


def named(output: str) -> str:
    """Return the task id that the message says to continue with."""
    found = re.search(r"Call the tool task_result with task_id '(\w+)'", output)
    assert found, output
    return found[1]


async def sample_tools(model: Model) -> dict[str, Any]:
    reminder = {"after_seconds": SECONDS, "about": "the penguins"}
    task_handle = await model.call("remind_me", **reminder)
    task_id = named(task_handle)
    repeated = named(await model.call("remind_me", **reminder))

    output, reads = task_handle, 0
    while "This is not a failure" in output:
        output, reads = await model.call("task_result", task_id=task_id), reads + 1

    hopeless = named(await model.call("remind_me", after_seconds=3600))
    cancelled = await model.call("task_cancel", task_id=hopeless)
    listed = await model.call("task_list")
    return {
        "task_tools": sorted(name for name in model.tools if name.startswith("task_")),
        "joined": repeated == task_id,
        "waited": reads > 1,
        "result": output,
        "cancelled": cancelled,
        "listed": [line.split(", created")[0] for line in listed.splitlines() if task_id in line or hopeless in line],
        "ids": [hopeless, task_id],
    }


async def main(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    server = {"transport": "streamable_http", "url": url, "headers": headers}
    tools = await MultiServerMCPClient({"server": server}).get_tools()
    print(json.dumps(await sample_tools(Model({tool.name: tool for tool in tools}))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
