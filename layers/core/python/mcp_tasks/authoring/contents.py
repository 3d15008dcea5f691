"""Content besides text: images, audio, embedded resources and links, each with its content block in the protocol."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.authoring.no_data import NoData
from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.uris import check_uri
from mcp_tasks.authoring.wording import short
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource": (),
    "resource_link": ("uri", "name"),
}
"""The kinds of content blocks in results and prompts, and the texts that each must have."""

OPTIONAL: Final = ("mimeType", "title", "description")

ROLES: Final = ("user", "assistant")

CONTENTS: Final = "a str, an Image, an Audio, an EmbeddedResource or a ResourceLink"


class BesideData(NoData):
    """A content, which is a block of its own."""

    __slots__ = ()

    INSTEAD = "is sent beside data: return [data, {kind}(...)]"


@dataclass(frozen=True, slots=True)
class Image(BesideData):
    """An image in a tool's result or in a message; `data` is not yet encoded."""

    data: bytes
    mime_type: str = "image/png"

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        return {"type": "image", "data": encoded(self.data), "mimeType": self.mime_type}


@dataclass(frozen=True, slots=True)
class Audio(BesideData):
    """Audio in a tool's result or in a message; `data` is not yet encoded."""

    data: bytes
    mime_type: str = "audio/wav"

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        return {"type": "audio", "data": encoded(self.data), "mimeType": self.mime_type}


@dataclass(frozen=True, slots=True)
class EmbeddedResource(BesideData):
    """A resource whose content, text or bytes, is part of the result or the message."""

    uri: str
    content: str | bytes
    mime_type: str | None = None

    @property
    def block(self) -> dict[str, JSON]:
        """The protocol's content block."""
        return {"type": "resource", "resource": resource_contents(self.uri, self.content, self.mime_type)}


@dataclass(frozen=True, slots=True)
class ResourceLink(BesideData):
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
class ToolResult(NoData, Generic[T]):
    """A tool's result whose content says something else than its structured content, as a picture of the data does.

    Some hosts show a model only one of them.
    """

    content: str | Content | Sequence[str | Content]
    structured_content: T

    INSTEAD = "is a whole result: return it alone, annotated as in -> ToolResult[Chart]"

    @property
    def blocks(self) -> list[dict[str, JSON]]:
        """The protocol's content blocks; raises `BadResult`."""
        given: Sequence[Any] = self.content if isinstance(self.content, list | tuple) else [self.content]
        if not all(isinstance(each, str | Content) for each in given):
            raise BadResult("its content is texts, images and other contents, alone or in a list")
        try:
            return [block_of(each) for each in given]
        except (TypeError, ValueError) as error:
            raise BadResult(f"its content: {error}") from error


@dataclass(frozen=True, slots=True)
class Message(NoData):
    """A message of a prompt or of a sampling request.

    A mapping is sent as a content block of the protocol.  Several blocks are for sampling only: a message of a prompt
    has one.
    """

    role: Literal["user", "assistant"]
    content: str | Content | Mapping[str, JSON] | Sequence[Mapping[str, JSON]]

    @property
    def shown(self) -> dict[str, JSON]:
        """The `PromptMessage` or `SamplingMessage` of the protocol; raises `TypeError` or `ValueError` for none."""
        if self.role not in ROLES:
            raise ValueError(f"the role of a message is user or assistant, not {short(repr(self.role))}")
        if isinstance(self.content, Sequence) and not isinstance(self.content, str):
            return {"role": self.role, "content": [dict(each) for each in self.content]}
        return {"role": self.role, "content": block_of(self.content)}


def block_of(value: object) -> dict[str, JSON]:
    """Return the content block of a text or a content; a mapping is one already.

    Raises `TypeError` or `ValueError` for a content that clients could not read.
    """
    match value:
        case str():
            return {"type": "text", "text": sendable(value)}
        case Mapping():
            return dict(value)
        case Image() | Audio() | EmbeddedResource() | ResourceLink():
            block = value.block
            check_block(block)
            return {name: sendable(field) if isinstance(field, str) else field for name, field in block.items()}
    raise TypeError(f"it is of type {type(value).__name__}, and not {CONTENTS}")


def check_block(block: Mapping[str, JSON]) -> None:
    """Raise `TypeError` or `ValueError` for a content block of a result or a prompt that clients could not read."""
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise ValueError(f"its type is one of {', '.join(FIELDS)}, not {short(repr(kind))}")
    _check_texts(block, FIELDS[kind])
    if kind == "resource_link":
        check_uri(block["uri"])
    if kind == "resource":
        inner = block.get("resource")
        if not isinstance(inner, Mapping):
            raise TypeError(f"its resource is an object, not {short(repr(inner))}")
        _check_texts(inner, ("uri", "blob" if "blob" in inner else "text"))
        check_uri(inner["uri"])


def _check_texts(fields: Mapping[str, JSON], names: Sequence[str]) -> None:
    for name in (*names, *(each for each in OPTIONAL if each in fields)):
        if not isinstance(fields.get(name), str):
            raise TypeError(f"its {name} is a text, not {short(repr(fields.get(name)))}")
        if name in ("data", "blob"):
            base64.b64decode(fields[name], validate=True)


def resource_contents(uri: str, content: str | bytes, mime_type: str | None) -> dict[str, JSON]:
    """Return the `TextResourceContents` or `BlobResourceContents` of the protocol."""
    body = {"text": sendable(content)} if isinstance(content, str) else {"blob": encoded(content)}
    return {"uri": uri, **_present({"mimeType": mime_type}), **body}


def encoded(data: bytes) -> str:
    """Return bytes in base64, as the protocol carries them; raises `TypeError` for anything else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"its data is bytes, not {type(data).__name__}")
    return base64.b64encode(data).decode()


def _present(fields: Mapping[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in fields.items() if value is not None}
