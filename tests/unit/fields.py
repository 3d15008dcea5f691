"""Forms with one field each, and things such a field may be annotated with."""

from enum import Enum, IntEnum
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from mcp_tasks import Form


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


def form(hint: Any, default: Any = ...) -> type[Form]:
    """Return a form with one field, as an adopter would write it."""
    return create_model("Asked", __base__=Form, field=(hint, default))


def shown(hint: Any, default: Any = ...) -> Any:
    """Return that field as clients are shown it."""
    return form(hint, default).requested_schema()["properties"]["field"]


def refused(hint: Any, default: Any = ...) -> str:
    """Return why that form is refused."""
    with pytest.raises(TypeError, match=r"Asked\.field cannot be asked for: ") as error:
        form(hint, default)
    return str(error.value).partition(": ")[2]
