"""Sample tools whose work is done by the state machines of `sample_machines`."""

from datetime import timedelta

from pydantic import BaseModel

from mcp_tasks import Accepted, Context, Form, tool


class Add(Form):
    """What to add to the sum."""

    number: int


@tool(machine="sums", timeout=timedelta(minutes=5))
def sums(numbers: list[int], context: Context) -> str:
    """Add up the squares that the state machine made, and a number that the user adds."""
    before = sum(context.state_input["squares"])
    answer = context.elicit("Which number?", Add, key="add")
    added = answer.value.number if isinstance(answer, Accepted) else 0
    return f"{before} {sum(context.state_input['squares']) + added}"


class Counted(BaseModel):
    """The numbers that were counted."""

    counted: list[int]


@tool(machine="counts", timeout=timedelta(minutes=5))
def counts(numbers: list[int]) -> Counted:
    """Count numbers, in states alone."""
    raise NotImplementedError("its state machine returns the result")


class Lengths(BaseModel):
    """How long words are."""

    lengths: list[int]


@tool(machine="lengths", timeout=timedelta(minutes=5))
def lengths(of: dict[str, list[str]]) -> Lengths:
    """Measure words, without which the path in its state machine leads nowhere."""
    raise NotImplementedError("its state machine returns the result")


class Loaded(BaseModel):
    """What another team's state machine reports."""

    day: str
    rows: int


@tool(machine="load", timeout=timedelta(hours=2))
def load(day: str) -> Loaded:
    """Load a day."""
    raise NotImplementedError("another team's state machine returns the result")


@tool(machine="tidy", timeout=timedelta(minutes=5))
def tidy() -> str:
    """Tidy up, before states that follow do."""
    return "tidy"


TOOLS = [sums, counts, lengths, load, tidy]
