"""Shapes of values in messages: what a value should be, in words, and the function that reads it; pure, no I/O.

A value that does not fit raises `Unfit`, which says where it is, what it should be and what it is.  Nothing of the
value is quoted: it may be a secret, or a text that its sender wants others to read.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final, Generic, TypeAlias, TypeVar

from mcp_tasks.engine.suspension import InputRequestsTooLarge
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS, MAX_INTEGER, MAX_LINE_CHARACTERS
from mcp_tasks.tasks.json_values import (
    READ_ERRORS,
    Read,
    flag,
    integer,
    list_of,
    mapping,
    maybe,
    moment,
    number,
    seconds,
    text,
)
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

UNREADABLE: Final = (*READ_ERRORS, InputRequestsTooLarge)

REQUIRED: Final = object()
OMITTED: Final = object()
"""The default of a field that is left out where it is absent."""


class Unfit(ValueError):
    """A value does not fit its shape: `where` is its place in the message, and `why` a clause about it."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where} {why}")
        self.where, self.why = where, why


class Shape(Generic[T_co]):
    """What a value `should_be`, how it is read, and what stands for it where it is absent."""

    def __init__(self, should_be: str, read: Read[T_co], default: Any = REQUIRED) -> None:
        self.should_be, self.read, self.default = should_be, read, default

    def or_absent(self, default: Any = OMITTED) -> "Shape[T_co]":
        """Return the same for a field that may be absent, but not null."""
        return Shape(self.should_be, self.read, default)

    def or_null(self) -> "Shape[T_co | None]":
        """Return the same for a field that may be null or absent."""
        return Shape(f"{self.should_be}, or null", lambda value: maybe(value, self.read), None)

    def at(self, where: str, value: JSON) -> T_co:
        """Return what is read of a value at this place; raises `Unfit`."""
        try:
            return self.read(value)
        except Unfit as inner:
            raise Unfit(f"{where}.{inner.where}", inner.why) from None
        except InputRequestsTooLarge as error:
            raise Unfit(where, f"should be fewer, or smaller: {error}") from None
        except UNREADABLE:
            raise Unfit(where, f"should be {self.should_be}, and is {_kind_of(value)}") from None


Shapes: TypeAlias = Mapping[str, Shape[Any]]
"""The shapes of the fields of an object, by name."""


def read_fields(value: Mapping[str, JSON], shapes: Shapes) -> dict[str, Any]:
    """Return the fields of an object that have a shape, and ignore others, which a newer release may send."""
    read: dict[str, Any] = {}
    for name, shape in shapes.items():
        if name in value:
            read[name] = shape.at(name, value[name])
        elif shape.default is REQUIRED:
            raise Unfit(name, f"is missing: it should be {shape.should_be}")
        elif shape.default is not OMITTED:
            read[name] = shape.default
    return read


def fields(should_be: str, shapes: Shapes) -> Shape[dict[str, Any]]:
    """Return the shape of an object with these fields; others are ignored."""
    return Shape(should_be, lambda value: read_fields(mapping(value), shapes))


def exactly(should_be: str, shapes: Shapes) -> Shape[dict[str, JSON]]:
    """Return the shape of an object with these fields and no others, which is kept as it is."""

    def read(value: JSON) -> dict[str, JSON]:
        read_fields(mapping(value), shapes)
        if value.keys() - shapes.keys():
            raise ValueError
        return mapping(value)

    return Shape(f"{should_be}, with no fields but {', '.join(shapes)}" if shapes else should_be, read)


def every(should_be: str, shape: Shape[T]) -> Shape[tuple[T, ...]]:
    """Return the shape of a list of values of one shape."""

    def read(value: JSON) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise TypeError
        return tuple(shape.at(str(place), each) for place, each in enumerate(value))

    return Shape(should_be, read)


def _kind_of(value: JSON) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return f"a text of {len(value):,} characters"
        case list():
            return f"a list of {len(value):,}"
    return "an object"


def text_of(most: int) -> Shape[str]:
    """Return the shape of a text of so many characters at most."""
    return Shape(f"a text of {most:,} characters at most", lambda value: limited(text(value), most, len(value)))


def json_of(most: int) -> Shape[JSON]:
    """Return the shape of any JSON of so many characters at most."""
    read = lambda value: limited(value, most, len(json.dumps(value, allow_nan=False)))  # noqa: E731
    return Shape(f"JSON of {most:,} characters at most", read)


def line_of(most: int) -> Shape[str]:
    """Return the shape of what people read at a glance: cut, and without half surrogate pairs."""
    return Shape("a text", lambda value: text(value)[:most].encode(errors="replace").decode())


def one_of(*texts: str) -> Shape[str]:
    """Return the shape of one of these texts."""
    return Shape(f"one of {', '.join(texts)}", lambda value: texts[texts.index(value)])


def limited(value: Any, most: int, size: int) -> Any:
    """Return a value of so much at most; raises `ValueError`."""
    if size > most:
        raise ValueError
    return value


def _finite(value: JSON) -> float:
    if not isfinite(number(value)):
        raise ValueError
    return number(value)


def _exact(value: JSON) -> int:
    if abs(integer(value)) > MAX_INTEGER:
        raise ValueError
    return integer(value)


def _count(value: JSON) -> int:
    if _exact(value) < 0:
        raise ValueError
    return integer(value)


ANY: Final[Shape[JSON]] = Shape("any JSON", lambda value: value)
TEXT: Final = Shape("a text", text)
TEXTS: Final = Shape("a list of texts", list_of(text))
OBJECT: Final = Shape("an object", mapping)
OBJECTS: Final = Shape("a list of objects", list_of(mapping))
FLAG: Final = Shape("true or false", flag)
NUMBER: Final = Shape("a finite number", _finite)
INTEGER: Final = Shape(f"an integer between {-MAX_INTEGER:,} and {MAX_INTEGER:,}", _exact)
COUNT: Final = Shape(f"an integer between 0 and {MAX_INTEGER:,}", _count)
LINE: Final = line_of(MAX_LINE_CHARACTERS)
ERROR: Final = line_of(MAX_ERROR_CHARACTERS)
SPAN: Final = Shape("seconds, 0 or more", seconds)
MOMENT: Final[Shape[datetime]] = Shape(
    "a time with its offset from UTC, such as 2026-01-31T12:00:00+00:00", lambda value: moment(value).astimezone(UTC)
)
