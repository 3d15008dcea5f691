"""Sample prompts and resources, and tools that return content, log, or report changes of resources."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from mcp_tasks import (
    Audio,
    CompletionContext,
    Context,
    EmbeddedResource,
    Image,
    McpError,
    Message,
    ResourceLink,
    ResourceNotFound,
    ToolError,
    prompt,
    resource,
    tool,
)

PICTURE = b"\x89PNG\r\n\x1a\n"
SOUND = b"RIFF\x00\xff"
PEOPLE = [f"person {number:03}" for number in range(250)]


@prompt(title="Greeting")
def greeting(name: str, tone: Literal["warm", "cool"] = "warm") -> str:
    """Greet somebody."""
    return f"Say something {tone} to {name}."


@greeting.complete("name")
def _known(typed: str, context: CompletionContext) -> list[str]:
    found = [person for person in PEOPLE if person.startswith(typed)]
    return [", ".join([context.caller.subject, *context.arguments.values()]), *found] if typed == "" else found


@prompt(name="Résumé")
def summary() -> list[Message]:
    """Sum up what is there."""
    about = EmbeddedResource("note://été", "It was warm.", "text/plain")
    return [Message("user", about), Message("assistant", "Warm, then."), Message("user", Image(PICTURE))]


@prompt()
def serenade() -> Audio:
    """Sing."""
    return Audio(SOUND)


@prompt()
def quarrel(about: str) -> str:
    """Reject the request, by one error or another."""
    if about == "protocol":
        raise McpError(1969, "Not that again.", {"about": about})
    if about == "nothing":
        raise LookupError("lost for words")
    raise ToolError(f"There is nothing to say about {about}.")


@resource("note://été", mime_type="text/plain", title="Summer", ttl=timedelta(minutes=1))
def note() -> str:
    """Describe the summer."""
    return "It was warm."


@resource("picture://logo", mime_type="image/png")
def logo() -> bytes:
    """Show the logo."""
    return PICTURE


@resource("weather://now", subscribable=True)
def weather() -> dict[str, object]:
    """Look out of the window."""
    return {"sky": "blue"}


@resource("weather://tomorrow", subscribable=True)
def forecast() -> dict[str, object]:
    """Guess."""
    return {"sky": "grey"}


@resource("archive://{year}/{name}", mime_type="text/plain")
def archive(year: Literal["2024", "2025"], name: str, context: Context) -> str:
    """Look something up."""
    if name == "lost":
        raise ResourceNotFound(name)
    return f"{name} of {year}, for {context.caller.subject}"


@resource("shelf://{row}", mime_type="text/plain", subscribable=True)
def shelf(row: str) -> str:
    """Look at a shelf."""
    return f"row {row}"


@dataclass(frozen=True)
class Found:
    uri: str


@tool(tasks="never")
def exhibit() -> list[str | Image | Audio | EmbeddedResource | ResourceLink]:
    """Show one of each kind."""
    return [
        "Look and listen:",
        Image(PICTURE, "image/png"),
        Audio(SOUND, "audio/wav"),
        EmbeddedResource("note://été", "It was warm.", "text/plain"),
        EmbeddedResource("picture://logo", PICTURE, "image/png"),
        ResourceLink("archive://2025/tax", "tax", "What was paid.", "text/plain"),
    ]


@tool(tasks="never")
def chatter(context: Context, levels: list[str]) -> str:
    """Log a line of each level."""
    for level in levels:
        context.log(level, {"said": level}, logger="chatter")  # type: ignore[arg-type]  # a test may say anything
    return "said"


@tool(tasks="never")
def report(uri: str, context: Context) -> Found:
    """Say that something changed."""
    context.resource_updated(uri)
    return Found(uri)


TOOLS = [exhibit, chatter, report]
PROMPTS = [greeting, summary, serenade, quarrel]
RESOURCES = [note, logo, weather, forecast, archive, shelf]
