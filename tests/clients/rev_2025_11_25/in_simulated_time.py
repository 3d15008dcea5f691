"""The official Python client 1.x in simulated time: neither its sleeps nor the server's holds take any.

python -m tests.clients.rev_2025_11_25.in_simulated_time HOW TOOL SECONDS

Its requests are lines of JSON on the standard output, which whoever runs it answers on the standard input, and both say
at how many seconds from the start.  HOW is `task` or `call`; either has a progress token where it is followed by `+`.
"""

import asyncio
import json
import selectors
import sys
import warnings
from typing import Any

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

TOKEN = "hears progress"
TWO_DAYS = 2 * 24 * 3600 * 1000


class Jumping(selectors.SelectSelector):
    """Waits for nothing: where nothing is ready, it is as much later at once."""

    elapsed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if ready := super().select(0):
            return ready
        assert timeout is not None, "nothing will ever happen"
        self.elapsed += max(timeout, 0)
        return []


class SimulatedTime(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.jumping = Jumping()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.elapsed


class Piped(httpx.AsyncBaseTransport):  # type: ignore[misc]
    """Sends requests to whoever runs this."""

    async def handle_async_request(self, request: Any) -> Any:
        loop = asyncio.get_running_loop()
        body = (await request.aread()).decode()
        _print({"at": loop.time(), "method": request.method, "headers": dict(request.headers), "body": body})
        answer = json.loads(sys.stdin.readline())
        await asyncio.sleep(answer["at"] - loop.time())
        return httpx.Response(answer["status"], headers=answer["headers"], content=answer["body"].encode())


def _print(message: Any) -> None:
    print(json.dumps(message), flush=True)


async def main(how: str, tool: str, seconds: str) -> None:
    heard: list[float] = []
    time, arguments, wants_progress = asyncio.get_running_loop().time, {"after_seconds": int(seconds)}, how[-1] == "+"

    async def on_message(message: Any) -> None:
        # The session forgets the callback of a call that has been answered, be it by a task.
        if isinstance(message, types.ServerNotification) and isinstance(message.root, types.ProgressNotification):
            heard.append(time())

    async def on_progress(*_: Any) -> None:
        called.append(time())

    called: list[float] = []
    async with (
        httpx.AsyncClient(transport=Piped()) as client,
        streamable_http_client("http://server/mcp", http_client=client) as (read, write, _),
        ClientSession(read, write, message_handler=on_message) as session,
    ):
        await session.initialize()
        if how.startswith("task"):
            meta = {"progressToken": TOKEN} if wants_progress else None
            created = await session.experimental.call_tool_as_task(tool, arguments, ttl=TWO_DAYS, meta=meta)
            result = await session.experimental.get_task_result(created.task.taskId, types.CallToolResult)
        else:
            progress = {"progress_callback": on_progress} if wants_progress else {}
            result = await session.call_tool(tool, arguments, **progress)
        told = called if how == "call+" else heard
        _print({"result": result.content[0].text, "at": time(), "heard": told})


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the client calls its own tasks experimental, at every step
    with asyncio.Runner(loop_factory=SimulatedTime) as runner:
        runner.run(main(*sys.argv[1:]))
