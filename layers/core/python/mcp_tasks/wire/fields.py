"""What clients send, field by field: each is read by its name, and a fault says which and what it should be.

By hand, because pydantic would be a fifth of the endpoint's cold start and most of what it checks here is "is it text".
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TypeVar

from mcp_tasks.authoring.wording import quoted
from mcp_tasks.limits.requests import MAX_NAME_CHARACTERS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RequestId, RpcError, as_id

T = TypeVar("T")
Reader = Callable[[JSON], T]
"""Returns the value as what it should be; raises `ValueError`, which says what that is."""


def required(fields: Mapping[str, JSON], name: str, read: Reader[T]) -> T:
    """Return a field that must be there; raises `RpcError`."""
    value = optional(fields, name, read)
    if value is None:
        raise RpcError(INVALID_PARAMS, f"Invalid params: {name} is missing.")
    return value


def optional(fields: Mapping[str, JSON], name: str, read: Reader[T], *, within: str = "") -> T | None:
    """Return a field, or None if it is not there; raises `RpcError`.  `within` is where the fields themselves are."""
    value = fields.get(name)
    # Members that are null are as good as absent: some clients write all that there could be.
    if value is None:
        return None
    try:
        return read(value)
    except ValueError as error:
        raise RpcError(
            INVALID_PARAMS, f"Invalid params: {within}{name} should be {error}, not {quoted(value)}."
        ) from error


def text(value: JSON) -> str:
    """Read a string."""
    if not isinstance(value, str):
        raise ValueError("a string")
    return value


def name(value: JSON) -> str:
    """Read a string of the length that names have."""
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS:
        raise ValueError(f"a string of at most {MAX_NAME_CHARACTERS} characters")
    return value


def mapping(value: JSON) -> Mapping[str, JSON]:
    """Read an object."""
    if not isinstance(value, dict):
        raise ValueError("an object")
    return value


def texts(value: JSON) -> Mapping[str, str]:
    """Read an object whose fields are strings."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("an object of strings")
    return value


def list_of(read: Reader[T]) -> Reader[list[T]]:
    """Return a reader of a list, each of which is read so."""

    def read_all(value: JSON) -> list[T]:
        if not isinstance(value, list):
            raise ValueError("a list")
        return [read(each) for each in value]

    return read_all


def one_of(words: Sequence[str]) -> Reader[str]:
    """Return a reader of one of these words."""

    def read(value: JSON) -> str:
        if value not in words:
            raise ValueError(f"one of {', '.join(words)}")
        return str(value)

    return read


def request_id(value: JSON) -> RequestId:
    """Read the id of a request, or what is like one."""
    found = as_id(value)
    if found is None:
        raise ValueError(f"an integer or a string of at most {MAX_NAME_CHARACTERS} characters")
    return found


def duration(value: JSON) -> float:
    """Read a number of milliseconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("a number of milliseconds")
    # An integer may be too large for a float, and is then no length of time either.
    try:
        fits = value >= 0 and isfinite(value)
    except OverflowError:
        fits = False
    if not fits:
        raise ValueError("a number of milliseconds that is not negative")
    return float(value)
