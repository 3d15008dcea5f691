"""Sample tools, a prompt and a resource that request input within the call."""

from typing import Annotated, Literal

from pydantic import Field

from mcp_tasks import (
    Accepted,
    Context,
    Declined,
    Elicit,
    ElicitUrl,
    Form,
    ListRoots,
    Message,
    MissingCapability,
    Sample,
    prompt,
    resource,
    tool,
)

SECRET = "swordfish"
"""The result of a step: no client may read it."""

HAMMER = {"name": "hammer", "inputSchema": {"type": "object"}}


class Name(Form):
    name: Annotated[str, Field(min_length=2)]


class Day(Form):
    day: Literal["monday", "friday"]


@tool(tasks="never")
def introduce(context: Context, politely: bool = False) -> str:
    """Ask for a name."""
    match context.elicit("Your name, please?" if politely else "Who are you?", Name, key="name"):
        case Accepted(value=form):
            return f"Hello, {form.name}!"
        case Declined():
            return "As you like."
        case _:
            return "Until later."


@tool(tasks="never")
def book(context: Context, to: str) -> str:
    """Ask twice, with steps in between."""
    drawn = context.step("draw", lambda: SECRET)
    who = context.elicit("Who travels?", Name, key="who")
    when = context.elicit("When?", Day, key="when")
    assert isinstance(who, Accepted)
    assert isinstance(when, Accepted)
    return f"{who.value.name} to {to} on {when.value.day}, ticket of {len(drawn)} letters"


@tool(tasks="never")
def interview(context: Context) -> str:
    """Ask one thing of each kind at once."""
    name, sampled, roots, seen = context.gather(
        Elicit("Who are you?", Name, key="name"),
        Sample("Say something.", max_tokens=50, key="word"),
        ListRoots(key="folders"),
        ElicitUrl("Please look at this.", "https://show.example/it", key="look"),
    )
    return f"{name.value.name}: {sampled.text} [{', '.join(root.uri for root in roots)}] {type(seen).__name__}"


@tool(tasks="never")
def build(context: Context) -> str:
    """Sample the client's model with a tool, after a conversation in which it used that tool."""
    before: list[str | Message] = [
        "Build something.",
        Message("assistant", [{"type": "tool_use", "id": "t1", "name": "hammer", "input": {}}]),
        Message("user", [{"type": "tool_result", "toolUseId": "t1", "content": [{"type": "text", "text": "bang"}]}]),
    ]
    return context.sample(before, max_tokens=10, tools=[HAMMER], key="next").text


@tool(tasks="never")
def connect(context: Context) -> str:
    """Elicit a URL."""
    return type(context.elicit_url("Please sign in.", "https://login.example/a?b=c")).__name__


@tool(tasks="never")
def adapt(context: Context) -> str:
    """Ask for a form, or go on without it."""
    try:
        return f"a form: {type(context.elicit('Who?', Name)).__name__}"
    except MissingCapability as error:
        return f"no {error.capability}"


@tool(tasks="never")
def wander(context: Context) -> str:
    """Report progress, log a message, then list the client's roots."""
    context.report_progress(1, 2)
    context.log("info", "on the way")
    return f"there with {context.list_roots()}"


@prompt()
def toast(context: Context, occasion: str) -> list[Message]:
    """Ask whom to toast."""
    to = context.elicit("To whom?", Name, key="to")
    return [Message("user", f"A toast to {to.value.name if isinstance(to, Accepted) else 'nobody'}, for {occasion}.")]


@resource("diary://today", mime_type="text/plain")
def diary(context: Context) -> str:
    """Ask who reads."""
    reader = context.elicit("Who reads?", Name, key="reader")
    return f"Dear {reader.value.name if isinstance(reader, Accepted) else 'diary'}"


TOOLS = [introduce, book, interview, build, connect, adapt, wander]
PROMPTS = [toast]
RESOURCES = [diary]
