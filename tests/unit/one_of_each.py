"""Sample features: a tool, prompt and resource of each kind, with every option set."""

from datetime import timedelta
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from mcp_tasks import CompletionContext, Context, Header, Message, ResourceNotFound, prompt, resource, tool

OWN: dict[str, Any] = {
    "type": "object",
    "properties": {"size": {"type": "integer", "x-mcp-header": "Size"}},
    "required": ["size"],
}


class Report(BaseModel):
    """What was found."""

    size: int


class Tone(Enum):
    """How to sound."""

    KIND = "kind"
    STERN = "stern"


@tool(
    title="Crunch",
    tasks="always",
    machine="cruncher",
    timeout=timedelta(days=2),
    ttl=timedelta(days=3),
    poll_interval=timedelta(seconds=7),
    inline_wait=timedelta(seconds=4),
    handle_after=timedelta(seconds=1),
    immediate_response="The cruncher is on.",
    not_before="size",
    annotations={"readOnlyHint": True, "title": "é"},
    scopes=("crunch:start", "reports:write"),
    version="2",
    approvals=True,
    extra_arguments="ignore",
)
def crunch(region: Annotated[str, Header("Region")], size: Annotated[int, Field(ge=1)] = 2) -> Report:
    """Crunch a lot."""
    return Report(size=size)


@tool(input_schema=OWN, starts_inline=True, join_within=timedelta(seconds=30), expected=timedelta(seconds=9))
def order(arguments: dict[str, Any]) -> str:
    """Order what only JSON Schema can say."""
    return f"{arguments['size']} ordered"


@prompt(title="Review", scopes=("review",))
def review(code: Annotated[str, Field(description="What to look at.")], tone: Tone, name: str = "") -> list[Message]:
    """Review some code."""
    return [Message("assistant", f"{code} {tone.value} {name}")]


@review.complete("name")
def names(typed: str, context: CompletionContext) -> list[str]:
    """Suggest names."""
    return [f"{typed}{context.caller.subject}"]


@prompt()
def hello() -> str:
    """Say hello."""
    return "Hello"


@resource(
    "report://{year}/{kind}",
    title="Report",
    mime_type="text/plain",
    ttl=timedelta(minutes=5),
    subscribable=True,
    scopes=("reports:read", "reports:{year}"),
)
def report(year: str, kind: Literal["short", "long"], context: Context) -> str:
    """Report about a year."""
    if year == "1800":
        raise ResourceNotFound
    return f"{year} {kind} {context.caller.subject}"


@report.complete("year")
def years(typed: str, context: CompletionContext) -> list[str]:
    """Suggest years."""
    return [f"{typed}6"]


@resource("report://now")
def now() -> bytes:
    """Report about today."""
    return b"now"


TOOLS = [crunch, order]
PROMPTS = [review, hello]
RESOURCES = [report, now]
