"""What a tool can ask its client, and what it is answered; without pydantic, which only the author of a form brings.

Each question is named by a key, and is sent in the protocol's method and params.  Abilities are what a client must
have declared to be asked: `elicitation.form`, `elicitation.url`, `sampling`, `sampling.tools`, `roots`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from mcp_tasks.tasks.model import JSON, Question
from mcp_tasks.toolkit.contents import Message
from mcp_tasks.toolkit.interruptions import BadAnswer

if TYPE_CHECKING:
    from mcp_tasks.toolkit.forms import Form

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F", bound="Form")


@dataclass(frozen=True, slots=True)
class Accepted(Generic[T]):
    """The user agreed; `value` is what they filled in."""

    value: T


@dataclass(frozen=True, slots=True)
class Declined:
    """The user said no."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The user went away without a yes or a no."""


class Ask(Protocol[T_co]):
    """Something to ask."""

    @property
    def needs(self) -> str:
        """The ability that the client must have."""

    @property
    def kind(self) -> str:
        """What questions of this kind are called that have no key of their own."""

    @property
    def key(self) -> str | None:
        """The question's own name."""

    def question(self, key: str) -> Question:
        """Return the question in the protocol's words."""

    def read(self, key: str, answer: Mapping[str, JSON]) -> T_co:
        """Return the answer in Python's; raises `BadAnswer`."""


@dataclass(frozen=True, slots=True)
class Elicit(Generic[F]):
    """Ask the user to fill in a form."""

    message: str
    form: type[F]
    _: KW_ONLY
    key: str | None = None
    needs: ClassVar = "elicitation.form"
    kind: ClassVar = "elicit"

    def question(self, key: str) -> Question:
        """Return the question; see `Ask`."""
        params = {"mode": "form", "message": self.message, "requestedSchema": self.form.requested_schema()}
        return Question(key=key, method="elicitation/create", params=params)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Accepted[F] | Declined | Cancelled:
        """Return the answer; see `Ask`."""
        refused = _refused(key, answer)
        if refused is not None:
            return refused
        content = answer.get("content") or {}
        if not isinstance(content, Mapping):
            raise BadAnswer(key, "content is an object with the form's fields")
        try:
            return Accepted(self.form.filled_in(content))
        except ValueError as error:
            raise BadAnswer(key, str(error)) from error


@dataclass(frozen=True, slots=True)
class ElicitUrl:
    """Ask the user to do something at a URL, which is where secrets are given: never in a form."""

    message: str
    url: str
    _: KW_ONLY
    key: str | None = None
    needs: ClassVar = "elicitation.url"
    kind: ClassVar = "visit"

    def __post_init__(self) -> None:
        """Refuse what nobody could open; raises `ValueError`."""
        if not (urlsplit(self.url).scheme and urlsplit(self.url).netloc):
            raise ValueError(f"no URL to send somebody to: {self.url!r}")

    def question(self, key: str) -> Question:
        """Return the question; see `Ask`."""
        params = {"mode": "url", "message": self.message, "url": self.url}
        return Question(key=key, method="elicitation/create", params=params)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Accepted[None] | Declined | Cancelled:
        """Return the answer; see `Ask`."""
        return _refused(key, answer) or Accepted(None)


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the client's model said; `content` is the protocol's blocks."""

    content: Sequence[Mapping[str, JSON]]
    model: str
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """Return the text of it."""
        return "".join(str(block["text"]) for block in self.content if block.get("type") == "text")


@dataclass(frozen=True, slots=True)
class Sample:
    """Have the client's model go on from these messages; texts alone are the user's.

    `tools` and `tool_choice` are the protocol's own words, and so are the blocks of tools used and their results.
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
    kind: ClassVar = "sample"

    def __post_init__(self) -> None:
        """Refuse what no client would take; raises `ValueError`."""
        _check_tool_results([message.shown for message in self._all])

    @property
    def needs(self) -> str:
        """The ability that the client must have; see `Ask`."""
        return "sampling" if self.tools is None and self.tool_choice is None else "sampling.tools"

    def question(self, key: str) -> Question:
        """Return the question; see `Ask`."""
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
        return Question(key=key, method="sampling/createMessage", params=given)

    def read(self, key: str, answer: Mapping[str, JSON]) -> Sampled:
        """Return the answer; see `Ask`."""
        content, model, reason = answer.get("content"), answer.get("model"), answer.get("stopReason")
        blocks: list[Any] = content if isinstance(content, list) else [content]
        if not isinstance(model, str) or not all(map(_is_block, blocks)):
            raise BadAnswer(key, "it is what a model said, with model, role and content")
        return Sampled(content=blocks, model=model, stop_reason=reason if isinstance(reason, str) else None)

    @property
    def _all(self) -> list[Message]:
        several = [self.messages] if isinstance(self.messages, str | Message) else self.messages
        return [each if isinstance(each, Message) else Message("user", each) for each in several]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that the client works in."""

    uri: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ListRoots:
    """Ask which folders the client works in."""

    _: KW_ONLY
    key: str | None = None
    needs: ClassVar = "roots"
    kind: ClassVar = "roots"

    def question(self, key: str) -> Question:
        """Return the question; see `Ask`."""
        return Question(key=key, method="roots/list", params={})

    def read(self, key: str, answer: Mapping[str, JSON]) -> list[Root]:
        """Return the answer; see `Ask`."""
        match answer:
            case {"roots": list(roots)} if all(map(_is_root, roots)):
                return [Root(root["uri"], root.get("name")) for root in roots]
            case _:
                raise BadAnswer(key, "it is a list of roots, each with its uri")


def _refused(key: str, answer: Mapping[str, JSON]) -> Declined | Cancelled | None:
    match answer.get("action"):
        case "accept":
            return None
        case "decline":
            return Declined()
        case "cancel":
            return Cancelled()
        case _:
            raise BadAnswer(key, "action is one of accept, decline, cancel")


def _is_block(value: JSON) -> bool:
    match value:
        case {"type": "text"}:
            return isinstance(value.get("text"), str)
        case {"type": str()}:
            return True
        case _:
            return False


def _is_root(value: JSON) -> bool:
    return isinstance(value, dict) and isinstance(value.get("uri"), str) and isinstance(value.get("name"), str | None)


def _check_tool_results(messages: Sequence[Mapping[str, Any]]) -> None:
    """Hold the tools that a model used against the results that follow.

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
