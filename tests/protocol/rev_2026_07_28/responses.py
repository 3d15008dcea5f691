"""Input responses that users and models give in the tests, and the text of the result that follows."""

from collections.abc import Mapping
from typing import Any, Final

from tests.protocol.input_responses import SAMPLED as SAMPLED
from tests.protocol.input_responses import accept as accept


def text(result: Any) -> str:
    """Return the text of a complete result."""
    assert result["resultType"] == "complete"
    return str(result["content"][0]["text"])


def only_key(pending: Any) -> str:
    """Return the key of the only input request."""
    (key,) = pending["inputRequests"]
    return str(key)


ZOE: Final = accept(name="Zoë")
FRIDAY: Final = accept(day="friday")
INTERVIEW: Final[Mapping[str, Any]] = {
    "name": ZOE,
    "word": SAMPLED,
    "folders": {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]},
    "look": {"action": "accept"},
}
"""Valid responses to all input requests of the tool `interview`."""
