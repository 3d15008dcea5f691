"""An argument that clients could not give, or would misread, is told when its tool is imported."""

import math
import re
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from inspect import Parameter
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from pydantic_core import core_schema

import mcp_tasks
from mcp_tasks import Context

# What is tested here is wrong for a type checker, too.
tool: Any = mcp_tasks.tool
prompt: Any = mcp_tasks.prompt
resource: Any = mcp_tasks.resource


@dataclass
class Report:
    year: int


class Color(Enum):
    RED = "red"


@dataclass
class Garage:
    cars: "list[Missing]"  # type: ignore[name-defined]  # noqa: F821


class Picky:
    """A type whose author's own schema fails."""

    @classmethod
    def __get_pydantic_json_schema__(cls, *_: object) -> Any:
        raise KeyError("no schema")

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> Any:
        return core_schema.any_schema()


REQUIRED = Parameter.empty


def taking(hint: object, default: object = REQUIRED) -> Callable[..., str]:
    def take(given: Any) -> str:
        """Take something."""
        return str(given)

    take.__annotations__["given"] = hint
    take.__defaults__ = None if default is REQUIRED else (default,)
    return take


@pytest.mark.parametrize(
    ("hint", "default", "says"),
    [
        (
            int,
            "one",
            'the default of given does not fit its annotation: given: Input should be a valid integer, not "one"',
        ),
        (
            str,
            None,
            "the default of given does not fit its annotation: write ... | None",
        ),
        (list[int], field(default_factory=list), "given: Input should be a valid list, not "),
        (Color, "red", "the default of given does not fit its annotation: given: Input should be an instance of Color"),
        (typing.Annotated[int, Field(ge=5)], 1, "given: Input should be greater than or equal to 5, not 1"),
        (float, math.nan, "clients could not use its schema: Out of range float values are not JSON compliant"),
        (str, "\ud800", "clients could not use its schema: 'utf-8' codec can't encode character"),
        (typing.Annotated[float, Field(examples=[math.inf])], REQUIRED, "given is annotated typing.Annotated[float, "),
        (typing.Annotated[str, Field(pattern="(")], REQUIRED, "which has no JSON Schema: error: unclosed group"),
        (typing.Literal[()], REQUIRED, "given is annotated typing.Literal[()], which has no JSON Schema: "),
        (
            {"type": "string"},
            REQUIRED,
            "given is annotated {'type': 'string'}, which has no JSON Schema: Unknown schema t",
        ),
        (Picky, REQUIRED, "given is annotated Picky, which has no JSON Schema: 'no schema'"),
        (Garage, REQUIRED, "given is annotated Garage: "),
        ("int | 3", REQUIRED, "an annotation cannot be read: unsupported operand type(s) for |: 'type' and 'int'"),
        ("in t", REQUIRED, "an annotation cannot be read: Forward reference must be an expression"),
        (list[Context], REQUIRED, "given is annotated list[mcp_tasks.authoring.context.Context], which has no JSON"),
        (mcp_tasks.Caller, REQUIRED, "clients would say who calls: take `context: Context` and read context.caller"),
        (typing.Annotated[str, mcp_tasks.Header("a b")], REQUIRED, "'a b' is no name for a header"),
    ],
)
def test_an_argument_that_clients_could_not_give_is_told(hint: object, default: object, says: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(taking.__qualname__)}.<locals>.take: .*{re.escape(says)}"):
        tool()(taking(hint, default))


@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (float, 1),
        (str | None, None),
        (Sequence[int], ()),
        (Color, Color.RED),
        (Path, Path("here")),
        (Any, object()),
        (Report, Report(2025)),
        (dict[int, str], {1: "one"}),
    ],
)
def test_a_default_that_fits_is_none_of_the_mistakes(hint: object, default: object) -> None:
    assert tool()(taking(hint, default)).work.check({}) == {"given": default}


def test_prompts_and_resources_say_the_same() -> None:
    says = "given is annotated Callable, which has no JSON Schema"
    with pytest.raises(TypeError, match=says):
        prompt()(taking(Callable))
    with pytest.raises(TypeError, match=says):
        resource("report://{given}")(taking(Callable))


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ([], "take: input_schema is a dict, such as {'type': 'object'}, not []"),
        (
            {"type": "object", "default": math.nan},
            "take: clients could not use its schema: Out of range float values",
        ),
        ({"type": "object", "default": object()}, "take: clients could not use its schema: Object of type object is"),
    ],
)
def test_a_schema_of_its_own_is_json(schema: object, says: str) -> None:
    with pytest.raises(TypeError, match=re.escape(says)):
        tool(input_schema=schema)(taking(dict))
