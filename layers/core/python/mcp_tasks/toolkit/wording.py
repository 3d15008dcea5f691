"""How mistakes are told: the first few of them, and no longer than need be."""

import json
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

MOST_COMPLAINTS: Final = 5
LONGEST_QUOTE: Final = 80


T = TypeVar("T")


def listed(faults: Sequence[T], complaint: Callable[[T], str]) -> str:
    """Say what the first faults are, and how many more there are."""
    more = [f"and {len(faults) - MOST_COMPLAINTS} more"] if len(faults) > MOST_COMPLAINTS else []
    return "; ".join([*map(complaint, faults[:MOST_COMPLAINTS]), *more])


def quoted(value: object) -> str:
    """Return what was given as JSON writes it, if only its beginning."""
    return short(json.dumps(value, ensure_ascii=False, default=str))


def short(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return a text, if only its beginning."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
