"""Defaults of a tool's signature, which its own state machine reads like arguments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from mcp_tasks import tool
from mcp_tasks.engine.limits import Limits
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.errors import ArgumentsTooLarge, KeyReused
from mcp_tasks.tasks.model import JSON
from tests.kit import ADA, NOON, IdleExecutor
from tests.unit.jobs import service


class Colour(Enum):
    """A colour."""

    RED = "red"


@dataclass
class Box:
    """Sides of a box."""

    width: int
    height: int = 3
    marks: list[str] = field(default_factory=lambda: ["up"])


class Crate(BaseModel):
    """Boxes."""

    boxes: list[Box] = []
    by_name: dict[str, Box] = {}
    spare: Box | None = None
    inner: "Crate | None" = None


def sized(
    name: str,
    width: int = 80,
    colour: Colour = Colour.RED,
    wait: timedelta = timedelta(seconds=5),
    note: str | None = None,
    most: Annotated[int, Field(ge=1)] = 9,
) -> str:
    """Size a picture."""
    return f"{name} {width} {colour} {wait} {note} {most}"


def packed(crate: Crate, other: Box | Crate | None = None) -> str:
    """Pack a crate."""
    return f"{crate} {other}"


def of_machine(function: Callable[..., Any], **options: Any) -> Tool:
    return tool(machine="press", **options)(function)


def started(made: Tool, arguments: dict[str, JSON]) -> object:
    """Start a task, and return what its state machine was given."""
    executor = IdleExecutor()
    task = service(executor=executor).start(ADA, made, arguments)
    return executor.started[task.id]


def test_a_state_machine_is_given_each_default_as_json() -> None:
    assert started(of_machine(sized), {"name": "x"}) == {
        "name": "x",
        "width": 80,
        "colour": "red",
        "wait": "PT5S",
        "note": None,
        "most": 9,
    }


def test_an_argument_that_was_given_is_kept() -> None:
    given: dict[str, JSON] = {"name": "x", "width": 1, "colour": "red", "wait": "PT1S", "note": "n", "most": 2}

    assert started(of_machine(sized), given) == given


EMPTY: dict[str, JSON] = {"boxes": [], "by_name": {}, "spare": None, "inner": None}
TALL = {"width": 1, "height": 3}


@pytest.mark.parametrize(
    ("crate", "completed"),
    [
        ({"boxes": [{"width": 1}]}, {**EMPTY, "boxes": [TALL]}),
        ({"by_name": {"a": {"width": 1}}}, {**EMPTY, "by_name": {"a": TALL}}),
        ({"spare": {"width": 1}}, {**EMPTY, "spare": TALL}),
        ({"inner": {"spare": {"width": 1}}}, {**EMPTY, "inner": {**EMPTY, "spare": TALL}}),
    ],
)
def test_defaults_within_an_argument_are_given_too(crate: JSON, completed: JSON) -> None:
    assert started(of_machine(packed), {"crate": crate}) == {"crate": completed, "other": None}


def test_a_value_that_may_be_of_several_types_is_left_as_it_was_given() -> None:
    given = {"width": 1}

    assert started(of_machine(packed), {"crate": {"inner": None}, "other": given}) == {
        "crate": EMPTY,
        "other": {"width": 1},
    }


@pytest.mark.parametrize("arguments", [{}, {"crate": [1]}, {"crate": {"boxes": {"0": 1}}}, {"name": {"x": [None]}}])
def test_arguments_that_do_not_fit_the_schema_raise_nothing(arguments: dict[str, JSON]) -> None:
    assert isinstance(started(of_machine(packed), arguments), dict)


def test_the_function_of_the_default_machine_finds_its_defaults_itself() -> None:
    assert started(tool()(sized), {"name": "x"}) == {"name": "x"}


def test_a_default_says_for_how_long_the_state_machine_waits() -> None:
    def remind(about: str, after_seconds: int = 60) -> str:
        """Remind of something."""
        return f"{about} {after_seconds}"

    task = service().start(ADA, of_machine(remind, not_before="after_seconds"), {"about": "tea"})

    assert task.not_before == NOON + timedelta(seconds=60)


def test_a_call_that_is_repeated_with_its_key_is_the_same_after_a_default_has_changed() -> None:
    def narrow(width: int = 1) -> str:
        """Press."""
        return f"{width}"

    def wide(width: int = 2) -> str:
        """Press."""
        return f"{width}"

    tasks = service()
    first = tasks.start(ADA, of_machine(narrow, name="press"), {}, key="k")

    assert tasks.start(ADA, of_machine(wide, name="press"), {}, key="k").id == first.id
    with pytest.raises(KeyReused):
        tasks.start(ADA, of_machine(wide, name="press"), {"width": 2}, key="k")


def test_arguments_that_their_defaults_make_too_large_are_refused() -> None:
    boxes = [{"width": 1}] * 100
    tasks = service(Limits(machine_arguments_bytes=1_800))

    assert tasks.start(ADA, of_machine(packed), {"crate": {"boxes": boxes[:50]}})
    with pytest.raises(ArgumentsTooLarge):
        tasks.start(ADA, of_machine(packed), {"crate": {"boxes": boxes}})


def test_a_schema_of_its_own_completes_nothing() -> None:
    schema: dict[str, JSON] = {
        "type": "object",
        "properties": {"width": {"type": "integer", "default": 80}, "size": {"type": "integer", "default": 1}},
        "oneOf": [{"required": ["width"]}, {"required": ["size"]}],
    }

    def press(arguments: dict[str, Any]) -> str:
        """Press."""
        return f"{arguments}"

    assert started(of_machine(press, input_schema=schema), {"size": 3}) == {"size": 3}
