"""Helpers that make forms of one field, and sample annotations for it."""

from datetime import date, datetime
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AnyUrl, BaseModel, Field, create_model

from mcp_tasks import Form, Titles


class Side(Enum):
    """Which side of the road."""

    LEFT = "left"
    RIGHT = "right"


class Only(Enum):
    ONE = "one"


class Number(IntEnum):
    ONE = 1
    TWO = 2


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Place(BaseModel):
    lat: float


TITLES = Titles({"left": "To the left", "right": "To the right"})

HINTS: list[Any] = [
    *(str, int, float, bool, date, datetime, AnyUrl, Side, Only, Literal["a"], Literal["left", "right"]),
    *(list[Side], list[Only], list[Literal["left", "a"]], tuple[Side, ...]),
    *(Annotated[Side, TITLES], list[Annotated[Side, TITLES]]),
    *(Annotated[str, Field(min_length=1, max_length=3)], Annotated[list[Side], Field(min_length=1, max_length=2)]),
    *(Annotated[int, Field(ge=1, le=9)], Annotated[float, Field(ge=-0.5, le=9)]),
]
"""One of each kind that can be asked for."""


def form(hint: Any, default: Any = ...) -> type[Form]:
    """Return a form with one field, as an adopter would write it."""
    return create_model("Asked", __base__=Form, field=(hint, default))


def shown(hint: Any, default: Any = ...) -> Any:
    """Return the field's schema as clients are sent it."""
    return form(hint, default).requested_schema()["properties"]["field"]


def rejected(hint: Any, default: Any = ...) -> str:
    """Return the message with which that form is rejected."""
    with pytest.raises(TypeError, match=r"Asked\.field cannot be asked for: ") as error:
        form(hint, default)
    return str(error.value).partition(": ")[2]
