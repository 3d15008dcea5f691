"""Bounded error messages: the first few errors, with values and names cut to a length."""

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, TypeVar

from mcp_tasks.limits.requests import (
    MAX_ERRORS_COUNTED,
    MAX_ERRORS_LISTED,
    MAX_QUOTE_CHARACTERS,
    MAX_QUOTED_NAME_CHARACTERS,
)

JSON_WRITER: Final = json.JSONEncoder(ensure_ascii=False, default=str)

T = TypeVar("T")


def listed(faults: Iterable[T], complaint: Callable[[T], str]) -> str:
    """Return complaints about the first faults, and how many more there are."""
    found = list(islice(faults, MAX_ERRORS_COUNTED + 1))
    rest = "many" if len(found) > MAX_ERRORS_COUNTED else len(found) - MAX_ERRORS_LISTED
    more = [f"and {rest} more"] if len(found) > MAX_ERRORS_LISTED else []
    return "; ".join([*map(complaint, found[:MAX_ERRORS_LISTED]), *more])


def quoted(value: object) -> str:
    """Return the beginning of a value's JSON; the rest of a large value is never serialized."""
    text = ""
    for part in JSON_WRITER.iterencode(short(value) if isinstance(value, str) else value):
        text += part
        if len(text) > MAX_QUOTE_CHARACTERS:
            break
    return short(text)


def quoted_name(text: str) -> str:
    """Return a name that a client sent, in quotes, and cut if it is longer than any valid one."""
    return repr(short(text, MAX_QUOTED_NAME_CHARACTERS))


def short(text: str, longest: int = MAX_QUOTE_CHARACTERS) -> str:
    """Return a text, cut to a length, with an ellipsis where it was cut."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
