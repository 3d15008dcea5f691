"""Cleans what tool code reports before it is stored or sent, and names the levels of log messages."""

import json
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

T = TypeVar("T")

Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""The levels of RFC 5424, the least severe first."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)


class JsonString(str):
    """A value that JSON writes as a string, such as a time; a text that a function returns is none."""


def sendable(text: str) -> str:
    """Replace lone surrogates (of a file's name, perhaps), which can be neither stored nor sent, by question marks."""
    return text.encode(errors="replace").decode()


def sendable_json(value: T) -> T:
    """Return JSON that can be sent, and what is none as it is: Lambda answers in UTF-8, without lone surrogates."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        cleaned: T = json.loads(text.encode(errors="replace"))
        return cleaned
    except (TypeError, ValueError, RecursionError):
        pass
    return value


def text_of(what: str, text: object) -> str:
    """Return what an author reports as a text, as it can be stored and sent; raises `TypeError` for what is none."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a text, not {text!r:.80}")
    return sendable(text)


def plain(what: str, number: Any) -> float:
    """Return a number as JSON can hold it: a `Decimal`, or a number of numpy's, as a float.

    Raises `TypeError` for what is no number.
    """
    if isinstance(number, int | float) and type(number) in (int, float):
        return number
    if not hasattr(number, "__float__"):
        raise TypeError(f"{what} is a number, not {number!r:.80}")
    return float(number)
