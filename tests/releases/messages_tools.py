"""Tools, a prompt and a resource whose runs send every message that functions send each other."""

import time
from contextlib import suppress
from datetime import timedelta

from mcp_tasks import CompletionContext, Context, Form, McpError, ToolError, prompt, resource, tool

WEEK = timedelta(days=7)
NOTES = "docs://notes"


class Said(Form):
    """The content of a response."""

    words: str


@tool(handle_after=timedelta(), ttl=WEEK)
def go_on(context: Context, name: str) -> str:
    """Do all that the run of a task may ask its host for."""
    context.report_progress(1, 2, "half")
    context.report_status("goes on")
    context.expect(timedelta(hours=2))
    drawn = context.step("draw", lambda: {"number": 7})
    patched = context.patched("later")
    context.resource_updated(NOTES)
    with suppress(RuntimeError):
        # Some stages grant nothing.
        context.aws("s3")
    said = context.elicit(f"What does {name} say?", Said, key="said")
    context.sleep(timedelta(hours=1))
    failures = iter([OSError("a moment's")])

    def fail_once() -> str:
        for failure in failures:
            raise failure
        return "tried again"

    return f"{drawn['number']}, {patched}, {said}, {context.step('retry', fail_once, retries=1)}"


@tool(tasks="always", machine="remind_me")
def remind(after_seconds: float) -> str:
    """Do nothing, on a state machine of its own."""
    return f"{after_seconds} s are over"


@tool(handle_after=timedelta(), machine="direct")
def keep_on(seconds: int) -> str:
    """Work without an execution, for so long that the run renews its lease."""
    time.sleep(seconds)
    return f"worked {seconds} s"


@tool(tasks="never")
def tell(context: Context, name: str) -> dict[str, str]:
    """Do all that a call which is no task may."""
    context.report_progress(1, 2, "half")
    context.report_status("told")
    context.log("info", {"name": name}, logger="tell")
    context.resource_updated(NOTES)
    return {"told": context.step("name", lambda: name)}


@tool(tasks="never")
def refuse(name: str) -> str:
    """Refuse."""
    raise ToolError(f"not for {name}")


@prompt()
def greet(name: str, context: Context) -> str:
    """Greet, or ask whom to greet."""
    if name == "?":
        name = str(context.elicit("Whom?", Said, key="whom"))
    if name == "nobody":
        raise McpError(7, "there is nobody", {"name": name})
    return f"Hello, {name}!"


@greet.complete("name")
def names(typed: str, context: CompletionContext) -> list[str]:
    """Suggest a name."""
    return [f"{typed}{context.caller.subject}"]


@resource(NOTES, subscribable=True)
def notes() -> str:
    """Read the notes."""
    return "nothing yet"


TOOLS = [go_on, remind, keep_on, tell, refuse]
PROMPTS = [greet]
RESOURCES = [notes]
