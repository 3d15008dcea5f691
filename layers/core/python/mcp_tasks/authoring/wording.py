"""How mistakes are told: the first few of them, and no longer than need be."""

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, TypeVar

from mcp_tasks.limits.requests import (
    MAX_ERRORS_COUNTED,
    MAX_ERRORS_TOLD,
    MAX_QUOTE_CHARACTERS,
    MAX_QUOTED_NAME_CHARACTERS,
)

JSON_WRITER: Final = json.JSONEncoder(ensure_ascii=False, default=str)

T = TypeVar("T")


def listed(faults: Iterable[T], complaint: Callable[[T], str]) -> str:
    """Say what the first faults are, and how many more there are."""
    found = list(islice(faults, MAX_ERRORS_COUNTED + 1))
    rest = "many" if len(found) > MAX_ERRORS_COUNTED else len(found) - MAX_ERRORS_TOLD
    more = [f"and {rest} more"] if len(found) > MAX_ERRORS_TOLD else []
    return "; ".join([*map(complaint, found[:MAX_ERRORS_TOLD]), *more])


def quoted(value: object) -> str:
    """Return what was given as JSON writes it, if only its beginning; no more than that is written."""
    text = ""
    for part in JSON_WRITER.iterencode(short(value) if isinstance(value, str) else value):
        text += part
        if len(text) > MAX_QUOTE_CHARACTERS:
            break
    return short(text)


def quoted_name(text: str) -> str:
    """Return what a client named, in quotes; a name that is longer than any here can be is cut."""
    return repr(short(text, MAX_QUOTED_NAME_CHARACTERS))


def short(text: str, longest: int = MAX_QUOTE_CHARACTERS) -> str:
    """Return a text, if only its beginning."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
