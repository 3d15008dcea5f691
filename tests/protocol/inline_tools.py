"""Sample tools with `starts_inline`: they run within the call, and decide there whether they need a task."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mcp_tasks import Context, McpError, ToolError, tool
from mcp_tasks.features.listing import Features
from tests.protocol.harness import Harness
from tests.protocol.task_input_tools import Consent, Title


def fetch(context: Context, known: bool) -> str:
    """Answer at once what is known, and fetch the rest as a task."""
    if known:
        return "known"
    context.report_status("fetching")
    context.report_progress(1, 2)
    context.continue_as_task()
    return f"fetched by {'a task' if context.task_id else 'a call'}"


allowed = tool(starts_inline=True, name="fetch")(fetch)
always = tool(starts_inline=True, tasks="always", name="always")(fetch)


@tool(tasks="always", starts_inline=True)
def fall(how: str) -> str:
    """Fail before there is a task."""
    raise McpError(1969, "The moon is closed.") if how == "error" else ToolError("The stone was in the way.")


@tool(starts_inline=True)
def deploy(context: Context) -> str:
    """Ask for two things, the second after the first, then work, then ask once more."""
    loaded = context.step("load", lambda: "plan")
    title = context.elicit("Which one?", Title, key="title")
    name = getattr(getattr(title, "value", None), "title", "none")
    sure = context.elicit(f"Really {name}?", Consent, key="sure")
    context.continue_as_task()
    again = context.elicit("Still?", Consent, key="still")
    return f"{loaded} {name} {type(sure).__name__} {type(again).__name__}"


TOOLS = [allowed, always, fall, deploy]


def serve_book(harness: Harness) -> list[str]:
    """Serve a tool whose only step runs within the call; return the list to which it appends what it did."""
    done: list[str] = []

    @tool(tasks="always", starts_inline=True)
    def book(context: Context) -> str:
        """Book at once."""
        context.step("book", lambda: done.append("booked"))
        return "booked"

    harness.change(features=Features.of([book]))
    return done


@contextmanager
def interrupted(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within the block, the process fails between the write that creates a task and the one that finishes it."""

    def die(*args: Any, **more: Any) -> None:
        raise ConnectionError("the process dies between two writes")

    with monkeypatch.context() as cut:
        cut.setattr(harness.ports.tasks, "write", die)
        yield
