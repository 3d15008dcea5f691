"""How mistakes are told: the first few of them, and no longer than need be."""

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, TypeVar

MOST_COMPLAINTS: Final = 5
MOST_COUNTED: Final = 10_000
"""Mistakes: a client can send so many that listing them all would take more memory than there is."""

LONGEST_QUOTE: Final = 80
LONGEST_NAMED: Final = 256

JSON_WRITER: Final = json.JSONEncoder(ensure_ascii=False, default=str)

T = TypeVar("T")


def listed(faults: Iterable[T], complaint: Callable[[T], str]) -> str:
    """Say what the first faults are, and how many more there are."""
    found = list(islice(faults, MOST_COUNTED + 1))
    rest = "many" if len(found) > MOST_COUNTED else len(found) - MOST_COMPLAINTS
    more = [f"and {rest} more"] if len(found) > MOST_COMPLAINTS else []
    return "; ".join([*map(complaint, found[:MOST_COMPLAINTS]), *more])


def quoted(value: object) -> str:
    """Return what was given as JSON writes it, if only its beginning; no more than that is written."""
    text = ""
    for part in JSON_WRITER.iterencode(short(value) if isinstance(value, str) else value):
        text += part
        if len(text) > LONGEST_QUOTE:
            break
    return short(text)


def quoted_name(text: str) -> str:
    """Return what a client named, in quotes; a name that is longer than any here can be is cut."""
    return repr(short(text, LONGEST_NAMED))


def short(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return a text, if only its beginning."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
