"""A client session of the demo: what its person sees, what they are asked, and what they answer."""

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
    """What a person sees: a line for whatever happens, with the seconds since the step began."""

    title: str = ""
    began: float = field(default_factory=time.monotonic)

    def step(self, title: str) -> None:
        """Begin a step."""
        self.title, self.began = title, time.monotonic()
        print(f"\n{title}", flush=True)

    def line(self, what: str, detail: str = "") -> None:
        """Tell what happened."""
        shown = detail.replace("\n\n", "\n").replace("\n", f"\n{INDENT}")
        print(f"  {time.monotonic() - self.began:6.1f} s  {what:<14} {shown}", flush=True)


@dataclass(slots=True)
class Person:
    """Whoever sits at the client, and the model that it has."""

    screen: Screen
    asked: list[str] = field(default_factory=list)

    async def fill_in(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Approve whatever it is, under a title of one's own."""
        self.asked.append("user")
        self.screen.line("asks you", params.message)
        self.screen.line("you", f"approve, under the title {TITLE!r}")
        return types.ElicitResult(action="accept", content={"approved": True, "title": TITLE})

    async def sample(self, context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        """Speak for the model."""
        self.asked.append("model")
        (content,) = params.messages[0].content_as_list
        self.screen.line("asks the model", _first_line(content.text) if isinstance(content, types.TextContent) else "")
        self.screen.line("the model", SENTENCE)
        said = types.TextContent(type="text", text=SENTENCE)
        return types.CreateMessageResult(role="assistant", content=said, model="none at all")


@dataclass(slots=True)
class DemoClient:
    """One client session, and what came to it on the side."""

    session: ClientSession
    person: Person
    requests: list[str]

    def count(self, method: str) -> int:
        """Return how many HTTP requests of a kind were sent."""
        return self.requests.count(method)


@asynccontextmanager
async def connect(url: str, token: str, screen: Screen) -> AsyncIterator[DemoClient]:
    """Connect a client; the screen shows what the server says without being asked."""
    requests: list[str] = []
    person = Person(screen)

    async def note(request: httpx.Request) -> None:
        body = json.loads(request.content) if request.method == "POST" else {}
        requests.append(body.get("method", request.method))

    async def listen(message: Any) -> None:
        match getattr(message, "root", None):
            case types.ProgressNotification(params=progress):
                screen.line("progress", f"{progress.progress:g} of {progress.total or 0:g}: {progress.message}")
            case types.TaskStatusNotification(params=task):
                screen.line(task.status, _first_line(task.statusMessage or ""))

    headers = {"Authorization": f"Bearer {token}"}
    client = httpx.AsyncClient(headers=headers, timeout=60, event_hooks={"request": [note]})
    async with (
        client,
        streamable_http_client(url, http_client=client) as (read, write, _),
        ClientSession(
            read,
            write,
            elicitation_callback=person.fill_in,
            sampling_callback=person.sample,
            message_handler=listen,
        ) as session,
    ):
        await session.initialize()
        yield DemoClient(session, person, requests)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
