"""The arguments of commands: each that cannot be used is refused in a sentence, by `ArgumentTypeError`."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit


def name(text: str) -> str:
    """Return the name of a tenant or a subject, which is not empty."""
    if not text.strip():
        raise ArgumentTypeError("a name is not empty")
    return text


def number_of(unit: str, least: float, most: float) -> Callable[[str], float]:
    """Return the reader of a number of seconds, hours or days."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if least <= float(text) <= most:
                return float(text)
        raise ArgumentTypeError(f"it is a number of {unit} from {least:,} to {most:,}, not {text!r}")

    return read


def existing(text: str) -> Path:
    """Return the path of a file that is there."""
    path = Path(text)
    if not path.is_file():
        raise ArgumentTypeError(f"there is no file {text!r}")
    return path


def moment(text: str) -> datetime:
    """Return the time that an argument names; without a zone it is UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"it is a date or a time, as 2026-11-25 or 2026-11-25T08:00, not {text!r}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def address(text: str) -> str:
    """Return the URL of a server."""
    with suppress(ValueError):
        found = urlsplit(text)
        # Reading the port raises for one that is no number.
        if found.scheme in ("http", "https") and found.hostname and found.port != 0:
            return text
    raise ArgumentTypeError(f"it is a URL such as http://127.0.0.1:8000/mcp, not {text!r}")
