"""What every text of an adopter's goes through, and how urgent a text can be."""

from typing import Literal, TypeAlias

Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""The least urgent first."""


def sendable(text: str) -> str:
    """Return a text that can be stored and sent: half a character, from a file's name perhaps, could be neither."""
    return text.encode(errors="replace").decode()
