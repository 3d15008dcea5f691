"""Tools whose tasks the console shows: they progress, ask, fail, and say what attackers would."""

import time
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from mcp_tasks import (
    Accepted,
    Context,
    EmbeddedResource,
    Form,
    Header,
    Image,
    McpError,
    ResourceLink,
    Titles,
    ToolError,
    tool,
)

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


class Booking(Form):
    """A form with a field of each kind."""

    name: Annotated[str, Field(title="Name", description="As in the passport.", min_length=2, max_length=40)]
    email: Annotated[str, Field(title="Email", json_schema_extra={"format": "email"})]
    day: Annotated[str, Field(title="Day", json_schema_extra={"format": "date"})]
    seats: Annotated[int, Field(title="Seats", ge=1, le=9)] = 1
    price: Annotated[float, Field(title="Highest price", ge=0)] = 99.5
    window: Annotated[bool, Field(title="A seat by the window")] = False
    fare: Annotated[Literal["s", "f"], Field(title="Fare"), Titles({"s": "Saver", "f": "Flexible"})]
    meals: Annotated[
        list[Annotated[Literal["v", "k"], Titles({"v": "Vegan", "k": "Kosher"})]], Field(title="Meals")
    ] = []  # noqa: RUF012 - pydantic copies it


class Sure(Form):
    """One decision."""

    sure: Annotated[bool, Field(title="Yes, I am sure")]


@tool(title="Count", tasks="always")
def count(context: Context, to: int = 3, pause: float = 0.2) -> str:
    """Count, and say how far it came."""
    for done in range(to):
        context.report_progress(done, to, f"{done} counted")
        time.sleep(pause)
    return f"Counted to {to}."


@tool(title="Book a seat", tasks="always")
def book(context: Context) -> dict[str, Any]:
    """Ask for everything that a form can have."""
    answer = context.elicit("Which seat may it be?", Booking, key="seat")
    return answer.value.model_dump() if isinstance(answer, Accepted) else {"booked": False}


@tool(title="Visit a page", tasks="always")
def visit(context: Context) -> str:
    """Ask for a visit."""
    answer = context.elicit_url("Sign the contract.", "https://sign.example.com/contract?id=7", key="visit")
    return type(answer).__name__


@tool(title="Wait for an answer", tasks="always", timeout=timedelta(minutes=10))
def hold(context: Context) -> str:
    """Ask, and stay."""
    answer = context.elicit("Go on?", Sure, key="sure")
    return f"{type(answer).__name__} it was."


@tool(title="Add", tasks="never", annotations={"readOnlyHint": True})
def add(numbers: list[int], region: Annotated[str, Header("Region")] = "Zürich") -> dict[str, int]:
    """Add numbers at once; the region is also a header."""
    return {"total": sum(numbers), "letters": len(region)}


@tool(title="Delete a file", tasks="never", annotations={"destructiveHint": True})
def delete(context: Context, name: str) -> str:
    """Ask within the call whether to delete."""
    answer = context.elicit(f"Delete {name}?", Sure)
    return f"{name} is deleted." if isinstance(answer, Accepted) and answer.value.sure else f"{name} stays."


@tool(title="Fail", tasks="always")
def fail(context: Context, with_code: int | None = None) -> str:
    """End in an error."""
    context.report_status("about to fail")
    if with_code is None:
        raise ToolError("The disk is full.")
    raise McpError(with_code, "The disk is gone.", {"disk": 1})


@tool(title="Show everything", tasks="always")
def gallery() -> list[Any]:
    """Return a block of each kind."""
    return [
        "A text.",
        Image(PIXEL, "image/png"),
        ResourceLink("https://example.com/report", "report"),
        EmbeddedResource("note://1", "An embedded note.", "text/plain"),
    ]


TOOLS = [count, book, visit, hold, add, delete, fail, gallery]
