"""Input responses that clients send, which are the same in all revisions."""

from collections.abc import Mapping
from typing import Any, Final


def accept(**content: Any) -> dict[str, Any]:
    """Return the answer of a user who filled in a form."""
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
"""All that the tool `convene` asks."""
