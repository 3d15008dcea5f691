"""Readers of params: each checks one field, and the error names the field and says what it should be.

Without pydantic, which would take a fifth of the endpoint's cold start, mostly to check that strings are strings.
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
"""Returns the value with its type checked; raises `ValueError` with a description of what it should be."""


def present(fields: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the fields that have a value: the protocol omits the others, and does not send null."""
    return {name: value for name, value in fields.items() if value is not None}


def required(fields: Mapping[str, JSON], name: str, read: Reader[T], *, within: str = "") -> T:
    """Return a required field; raises `RpcError` if it is missing or invalid.

    `within` is the path of the fields in the params, for the message: `"_meta."`.
    """
    value = optional(fields, name, read, within=within)
    if value is None:
        raise RpcError(INVALID_PARAMS, f"Invalid params: {within}{name} is missing.")
    return value


def optional(fields: Mapping[str, JSON], name: str, read: Reader[T], *, within: str = "") -> T | None:
    """Return a field, or None if it is missing; raises `RpcError` if it is invalid.

    `within` is the same as for `required`.
    """
    value = fields.get(name)
    # Null counts as missing: some clients write every optional field.
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
    """Read a string of at most `MAX_NAME_CHARACTERS`."""
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS:
        raise ValueError(f"a string of at most {MAX_NAME_CHARACTERS} characters")
    return value


def mapping(value: JSON) -> Mapping[str, JSON]:
    """Read an object."""
    if not isinstance(value, dict):
        raise ValueError("an object")
    return value


def texts(value: JSON) -> Mapping[str, str]:
    """Read an object whose values are strings."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("an object of strings")
    return value


def list_of(read: Reader[T]) -> Reader[list[T]]:
    """Return a reader of a list that applies `read` to each element."""

    def read_all(value: JSON) -> list[T]:
        if not isinstance(value, list):
            raise ValueError("a list")
        return [read(each) for each in value]

    return read_all


def one_of(words: Sequence[str]) -> Reader[str]:
    """Return a reader that accepts these strings alone."""

    def read(value: JSON) -> str:
        if value not in words:
            raise ValueError(f"one of {', '.join(words)}")
        return str(value)

    return read


def request_id(value: JSON) -> RequestId:
    """Read a request id or a progress token, which have the same type."""
    found = as_id(value)
    if found is None:
        raise ValueError(f"an integer or a string of at most {MAX_NAME_CHARACTERS} characters")
    return found


def duration(value: JSON) -> float:
    """Read a number of milliseconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("a number of milliseconds")
    # An integer that is too large for a float raises.
    try:
        fits = value >= 0 and isfinite(value)
    except OverflowError:
        fits = False
    if not fits:
        raise ValueError("a number of milliseconds that is not negative")
    return float(value)
