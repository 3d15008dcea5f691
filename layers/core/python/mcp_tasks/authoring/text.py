"""What every text of an adopter's goes through, and how urgent a text can be."""

from typing import Final, Literal, TypeAlias, get_args

Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""The least urgent first."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)


def sendable(text: str) -> str:
    """Return a text that can be stored and sent: half a character, from a file's name perhaps, could be neither."""
    return text.encode(errors="replace").decode()
