"""Content besides text: images, audio, embedded resources and links, each with its content block in the protocol."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.authoring.text import sendable
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Image:
    """An image in a tool's result or in a message; `data` is not yet encoded."""

    data: bytes
    mime_type: str = "image/png"

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        return {"type": "image", "data": encoded(self.data), "mimeType": self.mime_type}


@dataclass(frozen=True, slots=True)
class Audio:
    """Audio in a tool's result or in a message; `data` is not yet encoded."""

    data: bytes
    mime_type: str = "audio/wav"

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        return {"type": "audio", "data": encoded(self.data), "mimeType": self.mime_type}


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """A resource whose content, text or bytes, is part of the result or the message."""

    uri: str
    content: str | bytes
    mime_type: str | None = None

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        return {"type": "resource", "resource": resource_contents(self.uri, self.content, self.mime_type)}


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A link to a resource, which the client may read by `resources/read`."""

    uri: str
    name: str
    description: str | None = None
    mime_type: str | None = None

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        more = {"description": self.description, "mimeType": self.mime_type}
        return {"type": "resource_link", "uri": self.uri, "name": self.name, **_present(more)}


Content: TypeAlias = Image | Audio | EmbeddedResource | ResourceLink


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[T]):
    """A tool's result whose content says something else than its structured content, as a picture of the data does.

    Some hosts show a model only one of them.
    """

    content: str | Content | Sequence[str | Content]
    structured_content: T

    @property
    def blocks(self) -> list[dict[str, JSON]]:
        """The protocol's content blocks; raises `BadResult`."""
        given: Sequence[Any] = self.content if isinstance(self.content, list | tuple) else [self.content]
        if not all(isinstance(each, str | Content) for each in given):
            raise BadResult("its content is texts, images and other contents, alone or in a list")
        return [block_of(each) for each in given]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a prompt or of a sampling request.

    A mapping is sent as a content block of the protocol.  Several blocks are for sampling only: a message of a prompt
    has one.
    """

    role: Literal["user", "assistant"]
    content: str | Content | Mapping[str, JSON] | Sequence[Mapping[str, JSON]]

    @property
    def shown(self) -> dict[str, JSON]:
        """The `PromptMessage` or `SamplingMessage` of the protocol."""
        if isinstance(self.content, Sequence) and not isinstance(self.content, str):
            return {"role": self.role, "content": [dict(each) for each in self.content]}
        return {"role": self.role, "content": block_of(self.content)}


def block_of(value: str | Content | Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the content block of a text or a content; a mapping is one already."""
    match value:
        case str():
            return {"type": "text", "text": sendable(value)}
        case Mapping():
            return dict(value)
        case _:
            return value.block


def blocks_of(value: Any) -> list[dict[str, JSON]] | None:
    """Return the content blocks of a content, or of a list that holds at least one; None for any other value."""
    items = value if isinstance(value, list | tuple) else [value]
    mixed = all(isinstance(item, str | Content) for item in items)
    if not mixed or not any(isinstance(item, Content) for item in items):
        return None
    return [block_of(item) for item in items]


def resource_contents(uri: str, content: str | bytes, mime_type: str | None) -> dict[str, JSON]:
    """Return the `TextResourceContents` or `BlobResourceContents` of the protocol."""
    body = {"blob": encoded(content)} if isinstance(content, bytes) else {"text": sendable(content)}
    return {"uri": uri, **_present({"mimeType": mime_type}), **body}


def encoded(data: bytes) -> str:
    """Return bytes in base64, as the protocol carries them."""
    return base64.b64encode(data).decode()


def _present(fields: Mapping[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in fields.items() if value is not None}
