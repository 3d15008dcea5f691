"""Sample functions as adopters may write them, and helpers that call them as tools."""

import asyncio
import json
from collections.abc import Callable
from datetime import date
from enum import Enum
from functools import wraps
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field, field_validator

from mcp_tasks import Context
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.features.signature import Signature
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA

CONTEXT = Context(caller=ADA, journal=NULL_JOURNAL)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    """Where on earth."""

    lat: float = Field(ge=-90, le=90, description="Degrees north.")
    title: str = "nowhere"


class Trip(BaseModel):
    stops: list[Place]
    by_name: dict[str, Place] = {}
    back: Place | None = None

    @field_validator("stops")
    @classmethod
    def _goes_somewhere(cls, stops: list[Place]) -> list[Place]:
        if not stops:
            raise ValueError("a trip needs a stop")
        return stops


def plain(name: str, size: int = 3, *, ratio: float = 0.5, deep: bool = False) -> str:
    return json.dumps([name, size, ratio, deep])


def rich(
    colour: Colour,
    mode: Literal["fast", "slow"] = "fast",
    label: Optional[str] = None,  # noqa: UP045  # an adopter may write it so
    on: date | None = None,
    limit: Annotated[int, Field(ge=1, le=10, description="How many.")] = 5,
) -> list[object]:
    return [colour, mode, label, on, limit]


def travel(trip: Trip) -> Trip:
    return trip


def model_words(json: str, copy: int, schema: bool, model_config: str = "", self: str = "") -> list[object]:
    return [json, copy, schema, model_config, self]


async def later(name: str) -> str:
    await asyncio.sleep(0)
    return f"later {name}"


@wraps(later)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return later(*args, **kwargs)


def anything(value: Any, items: list[int] = []) -> Any:  # noqa: B006  # an adopter may write it so
    return [value, items]


def giving(hint: Any) -> Signature:
    """Return the signature of a function that returns this type."""

    def give() -> Any: ...

    give.__annotations__["return"] = hint
    return Signature(give)


def call(function: Callable[..., Any], /, **arguments: JSON) -> Any:
    return Signature(function).run(arguments, CONTEXT)


def complaint(function: Callable[..., Any], /, **arguments: JSON) -> str:
    with pytest.raises(BadArguments) as rejected:
        call(function, **arguments)
    return str(rejected.value)
