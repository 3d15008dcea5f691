"""What users and models say in the tests, and the text of a result that comes of it."""

from collections.abc import Mapping
from typing import Any, Final


def accept(**content: Any) -> dict[str, Any]:
    """Return the answer of a user who filled in a form."""
    return {"action": "accept", "content": content}


def text(result: Any) -> str:
    """Return what a tool said in the end."""
    assert result["resultType"] == "complete"
    return str(result["content"][0]["text"])


ZOE: Final = accept(name="Zoë")
FRIDAY: Final = accept(day="friday")
SAID: Final[Mapping[str, Any]] = {
    "role": "assistant",
    "model": "m-1",
    "content": {"type": "text", "text": "Splendid"},
    "stopReason": "endTurn",
}
INTERVIEW: Final[Mapping[str, Any]] = {
    "name": ZOE,
    "word": SAID,
    "folders": {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]},
    "look": {"action": "accept"},
}
"""All that the tool `interview` asks."""
