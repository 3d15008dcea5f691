"""FastMCP's client 4.x finds the authorization server, logs in, and asks for more where a tool needs it.

python -m tests.clients.rev_2026_07_28.scopes.fastmcp_v4 URL
"""

import asyncio
import json
import sys
import webbrowser
from threading import Thread
from typing import Any
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

from fastmcp import Client
from fastmcp.client.auth import OAuth
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp_tasks import call_tool_task
from mcp import MCPError

from tests.timeout import until


class Browser(webbrowser.BaseBrowser):
    """The user's browser: it follows redirects with its cookies, back to the page that the client serves."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.asked.append(parse_qs(urlsplit(url).query)["scope"][0])
        Thread(target=until, args=[lambda: shown(url)]).start()
        return True


def shown(url: str) -> bool:
    try:
        build_opener(HTTPCookieProcessor()).open(url).close()
    except URLError as error:
        # The client serves its page a moment after it opens the browser.
        return not isinstance(error.reason, ConnectionRefusedError)
    return True


async def greeting(client: Client) -> str:
    return str((await client.call_tool("greet", {"name": "Ada"})).content[0].text)


async def publish(client: Client) -> dict[str, Any]:
    try:
        task = await call_tool_task(client, "publish", {"seconds": 2})
        result = await task.result()
    except MCPError as error:
        return {"error": error.code, "challenge": error.data["challenge"], "afterwards": await greeting(client)}
    return {"task": task.create_result.status, "published": result.content[0].text}


async def main(url: str) -> None:
    browser, said = Browser(), {}
    webbrowser.register("tests", None, browser, preferred=True)
    try:
        async with Client(StreamableHttpTransport(url, auth=OAuth())) as client:
            said = {"revision": client.session.protocol_version, "greeting": await greeting(client)}
            said |= await publish(client)
    except RuntimeError as ended:
        # The whole connection, not the one call.
        said |= {"ended": str(ended)}
    print(json.dumps(said | {"asked": browser.asked}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
