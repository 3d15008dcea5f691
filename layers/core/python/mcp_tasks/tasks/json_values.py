"""Reads values of JSON that was stored, or that another function sent; pure, no I/O.

What does not fit raises one of `READ_ERRORS`, for whoever knows where the value was found.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias, TypeVar

from mcp_tasks.limits.waits import LONGEST_SPAN
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")
Read: TypeAlias = Callable[[Any], T]
"""Returns a value made of what was found; where that does not fit, it raises one of `READ_ERRORS`."""

READ_ERRORS: Final = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


def text(value: JSON) -> str:
    """Return a JSON string."""
    return _instance(value, str)


def number(value: JSON) -> float:
    """Return a JSON number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return value


def integer(value: JSON) -> int:
    """Return a JSON number that is an integer."""
    if isinstance(value, bool):
        raise TypeError
    return _instance(value, int)


def whole(value: JSON) -> JSON:
    """Return a number without a fraction as an `int`, since 5.0 is an integer in JSON Schema, and all else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def flag(value: JSON) -> bool:
    """Return a JSON boolean."""
    return _instance(value, bool)


def mapping(value: JSON) -> dict[str, JSON]:
    """Return a JSON object."""
    return _instance(value, dict)


def list_of(read: Read[T]) -> Read[tuple[T, ...]]:
    """Return a function that reads the elements of a JSON array."""
    return lambda value: tuple(read(each) for each in _instance(value, list))


def maybe(value: JSON, read: Read[T]) -> T | None:
    """Return None for null, or what `read` makes of any other value."""
    return None if value is None else read(value)


def moment(value: JSON) -> datetime:
    """Return the time in a JSON string, which must name its offset from UTC."""
    found = datetime.fromisoformat(text(value))
    if found.tzinfo is None:
        raise ValueError
    return found


def span(value: JSON) -> timedelta:
    """Return a duration that is stored as seconds, of a length that can be added to any time."""
    found = timedelta(seconds=float(value))
    if not timedelta() <= found <= LONGEST_SPAN:
        raise ValueError
    return found


def seconds(value: JSON) -> timedelta:
    """Return a duration that a document has as a JSON number of seconds."""
    return span(number(value))


def _instance(value: JSON, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError
    return value
