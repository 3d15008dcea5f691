"""Cleans strings of tool code before they are stored or sent, and names the levels of log messages."""

from typing import Final, Literal, TypeAlias, get_args

Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""The levels of RFC 5424, the least severe first."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)


def sendable(text: str) -> str:
    """Replace lone surrogates (of a file's name, perhaps), which can be neither stored nor sent, by question marks."""
    return text.encode(errors="replace").decode()
