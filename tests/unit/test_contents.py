"""Images, audio, resources and links as content blocks, and which values of a tool become blocks."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import Audio, EmbeddedResource, Image, Message, ResourceLink, tool
from mcp_tasks.authoring.contents import Content, block_of, resource_contents
from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.features.signature import Signature
from mcp_tasks.tasks.model import JSON
from tests.unit.callables import CONTEXT

PNG = b"\x89PNG\r\n\0\xff"
PICTURE = {"type": "image", "data": "iVBORw0KAP8=", "mimeType": "image/png"}
BLOCKS: list[tuple[Any, dict[str, JSON]]] = [
    (Image(PNG), PICTURE),
    (Image(b"", "image/gif"), {"type": "image", "data": "", "mimeType": "image/gif"}),
    (Audio(PNG), {"type": "audio", "data": "iVBORw0KAP8=", "mimeType": "audio/wav"}),
    (Audio(PNG, "audio/mpeg"), {"type": "audio", "data": "iVBORw0KAP8=", "mimeType": "audio/mpeg"}),
    (
        EmbeddedResource("a://b", "text"),
        {"type": "resource", "resource": {"uri": "a://b", "text": "text"}},
    ),
    (
        EmbeddedResource("a://b", PNG, "image/png"),
        {"type": "resource", "resource": {"uri": "a://b", "mimeType": "image/png", "blob": "iVBORw0KAP8="}},
    ),
    (ResourceLink("a://b", "b"), {"type": "resource_link", "uri": "a://b", "name": "b"}),
    (
        ResourceLink("a://b", "b", "B.", "text/plain"),
        {"type": "resource_link", "uri": "a://b", "name": "b", "description": "B.", "mimeType": "text/plain"},
    ),
]


def shown(value: object) -> Any:
    """Return what a tool that returns the value is answered with."""

    def give() -> Any:
        return value

    return Signature(give).call({}, CONTEXT).result


@pytest.mark.parametrize(("content", "block"), BLOCKS)
def test_a_content_knows_its_block(content: Content, block: dict[str, JSON]) -> None:
    assert content.block == block
    assert block_of(content) == block
    assert shown(content) == {"content": [block]}


@given(st.binary())
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    assert base64.b64decode(Image(data).block["data"], validate=True) == data
    assert resource_contents("a://b", data, None) == {"uri": "a://b", "blob": Audio(data).block["data"]}


def test_a_text_that_is_empty_is_a_text_and_no_bytes_are_no_text() -> None:
    assert resource_contents("a://b", "", None) == {"uri": "a://b", "text": ""}
    assert resource_contents("a://b", b"", None) == {"uri": "a://b", "blob": ""}


def test_a_text_and_a_block_are_blocks_already() -> None:
    assert block_of("so") == {"type": "text", "text": "so"}
    assert block_of({"type": "tool_use", "id": "1"}) == {"type": "tool_use", "id": "1"}


def test_half_a_character_is_never_sent() -> None:
    assert block_of("a \ud800 b") == {"type": "text", "text": "a ? b"}
    assert EmbeddedResource("a://b", "a \udfff b").block["resource"]["text"] == "a ? b"


@pytest.mark.parametrize("several", [list, tuple])
def test_several_values_with_a_content_among_them_are_blocks_in_order(several: Any) -> None:
    mixed = several(["one", Image(PNG), "two", Audio(b"")])

    assert shown(mixed) == {
        "content": [
            {"type": "text", "text": "one"},
            PICTURE,
            {"type": "text", "text": "two"},
            {"type": "audio", "data": "", "mimeType": "audio/wav"},
        ]
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "[]"),
        ((), "[]"),
        (["a", "b"], '["a","b"]'),
        (("a", "b"), '["a","b"]'),
        ([["a"]], '[["a"]]'),
        ([1, "a", None], '[1,"a",null]'),
        ({"type": "image"}, '{"type":"image"}'),
        ([{"type": "text", "text": "a"}], '[{"type":"text","text":"a"}]'),
        (b"so", '"so"'),
        ([b"so"], '["so"]'),
    ],
)
def test_values_without_a_content_are_json_as_ever(value: object, text: str) -> None:
    assert shown(value) == {"content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("kind", [Image, Audio, EmbeddedResource, ResourceLink])
def test_a_function_that_says_it_returns_a_content_has_no_output_schema(kind: type[Content]) -> None:
    def give() -> Any:
        return None

    give.__annotations__["return"] = kind

    assert Signature(give).output_schema is None
    assert tool(description="Gives.")(give).work.call({}, CONTEXT).result == {"content": []}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ResourceLink("2026 Report.pdf", "report"), "'2026 Report.pdf' is not a URI: begin it with a scheme"),
        (EmbeddedResource("report 5.pdf", b"%PDF"), "'report 5.pdf' is not a URI: begin it with a scheme"),
        (ResourceLink("https://", "home"), "'https://' is not a URI that clients can read: .*empty host"),
        (ResourceLink("a://b", None), "its name is a text, not None"),  # type: ignore[arg-type]
        (Image("iVBORw0KAP8="), "its data is bytes, not str"),  # type: ignore[arg-type]
        (Image(PNG, None), "its mimeType is a text, not None"),  # type: ignore[arg-type]
        (EmbeddedResource("a://b", 7), "its data is bytes, not int"),  # type: ignore[arg-type]
    ],
)
def test_a_content_that_no_client_can_read_is_rejected_with_its_place(content: Content, words: str) -> None:
    with pytest.raises(BadResult, match=f"^it: {words}"):
        shown(content)
    with pytest.raises(BadResult, match=rf"^it\[1\]: {words}"):
        shown(["first", content])


def test_half_characters_in_the_name_of_a_file_become_question_marks() -> None:
    assert block_of(ResourceLink("file:///a", "a\udce9.pdf"))["name"] == "a?.pdf"


def test_a_message_has_one_of_two_roles() -> None:
    with pytest.raises(ValueError, match="the role of a message is user or assistant, not 'system'"):
        Message("system", "so").shown  # type: ignore[arg-type]  # noqa: B018  # an author may write it


def test_what_somebody_says_is_one_block_of_theirs() -> None:
    assert Message("user", "so").shown == {"role": "user", "content": {"type": "text", "text": "so"}}
    assert Message("assistant", Image(PNG)).shown == {"role": "assistant", "content": PICTURE}
    assert Message("user", {"type": "text", "text": "x"}).shown["content"] == {"type": "text", "text": "x"}


@pytest.mark.parametrize("several", [list, tuple])
def test_a_message_to_a_model_may_have_several_blocks(several: Any) -> None:
    blocks = [{"type": "tool_result", "toolUseId": "1", "content": []}, {"type": "text", "text": "x"}]

    assert Message("user", several(blocks)).shown == {"role": "user", "content": blocks}
    assert Message("user", several([])).shown == {"role": "user", "content": []}


def test_a_block_that_was_given_stays_the_givers() -> None:
    block = {"type": "text", "text": "x"}
    Message("user", block).shown["content"]["text"] = "changed"
    Message("user", [block]).shown["content"][0]["text"] = "changed"
    block_of(block)["text"] = "changed"

    assert block == {"type": "text", "text": "x"}
