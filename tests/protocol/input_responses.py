"""Input responses that clients send; they are the same in all revisions."""

from collections.abc import Mapping
from typing import Any, Final


def accept(**content: Any) -> dict[str, Any]:
    """Return the response of a user who accepts a form with this content."""
    return {"action": "accept", "content": content}


DECLINE: Final[Mapping[str, Any]] = {"action": "decline"}
SAMPLED: Final[Mapping[str, Any]] = {
    "role": "assistant",
    "model": "m-1",
    "content": {"type": "text", "text": "Splendid"},
    "stopReason": "endTurn",
}

MOON: Final = accept(title="Moon")
YES: Final = accept(ok=True)
HOME: Final[Mapping[str, Any]] = {"roots": [{"uri": "file:///home", "name": "home"}]}
CONVENED: Final[Mapping[str, Any]] = {"title": MOON, "word": SAMPLED, "folders": HOME}
"""Valid responses to all input requests of the tool `convene`."""
