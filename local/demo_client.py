"""The demo's client: one session of the official SDK, its user, and what it prints."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

TITLE = "Penguins of the Palmer Archipelago"
SENTENCE = "Measurements of 344 penguins of three species, from three islands."
INDENT = " " * 26


@dataclass(slots=True)
class Screen:
    """Prints a line for each event, with the seconds since the step began."""

    title: str = ""
    began: float = field(default_factory=time.monotonic)

    def step(self, title: str) -> None:
        """Print the title of a step, and count the seconds from here."""
        self.title, self.began = title, time.monotonic()
        print(f"\n{title}", flush=True)

    def line(self, what: str, detail: str = "") -> None:
        """Print one event; the lines of `detail` are indented."""
        shown = detail.replace("\n\n", "\n").replace("\n", f"\n{INDENT}")
        print(f"  {time.monotonic() - self.began:6.1f} s  {what:<14} {shown}", flush=True)


@dataclass(slots=True)
class User:
    """Answers elicitation as the client's user would, and sampling as its model; `asked` lists which of them were."""

    screen: Screen
    asked: list[str] = field(default_factory=list)

    async def elicit(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Accept the form, with a title."""
        self.asked.append("user")
        self.screen.line("asks you", params.message)
        self.screen.line("you", f"approve, under the title {TITLE!r}")
        return types.ElicitResult(action="accept", content={"approved": True, "title": TITLE})

    async def sample(self, context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        """Answer with a fixed sentence in place of a model's."""
        self.asked.append("model")
        (content,) = params.messages[0].content_as_list
        self.screen.line("asks the model", _first_line(content.text) if isinstance(content, types.TextContent) else "")
        self.screen.line("the model", SENTENCE)
        sentence = types.TextContent(type="text", text=SENTENCE)
        return types.CreateMessageResult(role="assistant", content=sentence, model="none at all")


@dataclass(slots=True)
class DemoClient:
    """One client session, with the methods of the HTTP requests that it sent."""

    session: ClientSession
    user: User
    requests: list[str]

    def count(self, method: str) -> int:
        """Return how many requests with this JSON-RPC method, or HTTP method where there is no body, were sent."""
        return self.requests.count(method)


@asynccontextmanager
async def connect(url: str, token: str, screen: Screen) -> AsyncIterator[DemoClient]:
    """Connect and initialize a client, whose progress and status notifications are printed."""
    requests: list[str] = []
    user = User(screen)

    async def record(request: httpx.Request) -> None:
        body = json.loads(request.content) if request.method == "POST" else {}
        requests.append(body.get("method", request.method))

    async def show(message: Any) -> None:
        match getattr(message, "root", None):
            case types.ProgressNotification(params=progress):
                screen.line("progress", f"{progress.progress:g} of {progress.total or 0:g}: {progress.message}")
            case types.TaskStatusNotification(params=task):
                screen.line(task.status, _first_line(task.statusMessage or ""))

    headers = {"Authorization": f"Bearer {token}"}
    client = httpx.AsyncClient(headers=headers, timeout=60, event_hooks={"request": [record]})
    async with (
        client,
        streamable_http_client(url, http_client=client) as (read, write, _),
        ClientSession(
            read,
            write,
            elicitation_callback=user.elicit,
            sampling_callback=user.sample,
            message_handler=show,
        ) as session,
    ):
        await session.initialize()
        yield DemoClient(session, user, requests)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
