"""Sampling: input requests to the client's model."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import Any, ClassVar

from mcp_tasks.authoring.contents import Message
from mcp_tasks.authoring.input_requests import check_timeout
from mcp_tasks.authoring.input_responses import Sampled, sampled
from mcp_tasks.authoring.text import text_of
from mcp_tasks.authoring.unset import UNSET
from mcp_tasks.tasks.model import JSON, InputRequest


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampling request: asks the client's model to continue these messages; a plain string is one by the user.

    `tools`, `tool_choice` and the content blocks of tool use and tool results are sent as the protocol has them.
    """

    messages: str | Message | Sequence[str | Message]
    _: KW_ONLY
    max_tokens: int
    system_prompt: str | None = None
    temperature: float | None = None
    stop_sequences: Sequence[str] | None = None
    tools: Sequence[Mapping[str, JSON]] | None = None
    tool_choice: Mapping[str, JSON] | None = None
    key: str | None = None
    timeout: timedelta | None = None
    default: object = UNSET
    kind: ClassVar = "sample"

    def __post_init__(self) -> None:
        """Raise `ValueError` for a bad timeout, or tool results that do not follow their tool use; or `TypeError`."""
        check_timeout(self.timeout)
        if not isinstance(self.messages, str | Message | Sequence):
            raise TypeError(f"messages is a text, a Message or a list of these, not {self.messages!r:.80}")
        if not isinstance(self.max_tokens, int):
            raise TypeError(f"max_tokens is how many the model may generate, such as 100, not {self.max_tokens!r:.80}")
        if self.system_prompt is not None:
            text_of("the system_prompt", self.system_prompt)
        _check_tool_results([message.shown for message in self._all])

    @property
    def needs(self) -> str:
        """The client capability that it needs: `sampling`, or `sampling.tools`."""
        return "sampling" if self.tools is None and self.tool_choice is None else "sampling.tools"

    def input_request(self, key: str) -> InputRequest:
        """Return it as the protocol's method and params, under this key."""
        params: dict[str, JSON] = {
            "messages": [message.shown for message in self._all],
            "maxTokens": self.max_tokens,
            "systemPrompt": self.system_prompt,
            "temperature": self.temperature,
            "stopSequences": self.stop_sequences,
            "tools": self.tools,
            "toolChoice": self.tool_choice,
        }
        given = {name: value for name, value in params.items() if value is not None}
        return InputRequest(key=key, method="sampling/createMessage", params=given, timeout=self.timeout)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Sampled:
        """Return what the tool gets; raises `BadInputResponse` for a response that does not fit."""
        return sampled(key, answer)

    @property
    def _all(self) -> list[Message]:
        several = [self.messages] if isinstance(self.messages, str | Message) else self.messages
        return [each if isinstance(each, Message) else Message("user", each) for each in several]


def _check_tool_results(messages: Sequence[Mapping[str, Any]]) -> None:
    """Raise `ValueError` where the results that follow are not those of the tools that the model used.

    "every assistant message containing ToolUseContent blocks MUST be followed by a user message that consists
    entirely of ToolResultContent blocks"  -- Sampling, Message Content Constraints
    """
    used: set[str] = set()
    for content in [*(message["content"] for message in messages), []]:
        blocks = content if isinstance(content, list) else [content]
        results = [block["toolUseId"] for block in blocks if block["type"] == "tool_result"]
        if set(results) != used or (results and len(results) < len(blocks)):
            raise ValueError(f"the message after the tools {sorted(used)} were used has their results and nothing else")
        used = {block["id"] for block in blocks if block["type"] == "tool_use"}
