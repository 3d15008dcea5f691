"""The callbacks of a user who answers what `brew` asks, for the official Python clients 1.x and 2.x."""

from collections.abc import Mapping
from typing import Any

from mcp import types

FORMS: Mapping[str, Any] = {"Which leaves?": {"leaves": "green"}, "How much sugar?": {"lumps": 2}}


class User:
    """A user who answers everything, after some mistakes; records what they were asked."""

    def __init__(self, *, slips: int = 0) -> None:
        self.asked: list[str] = []
        self._slips = slips

    @property
    def callbacks(self) -> dict[str, Any]:
        """Return what a client calls to ask."""
        return {"elicitation_callback": self._fill_in, "sampling_callback": self._say}

    async def _fill_in(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        fits = len(self.asked) > self._slips
        return types.ElicitResult(
            action="accept", content=FORMS[params.message.splitlines()[0]] if fits else {"leaves": "red"}
        )

    async def _say(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.asked.append(params.messages[0].content.text)
        said = types.TextContent(type="text", text="Calm")
        return types.CreateMessageResult(role="assistant", content=said, model="tests")
