"""Images, audio, resources and links as content blocks, and which values of a tool become blocks."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import Audio, EmbeddedResource, Image, Message, ResourceLink, tool
from mcp_tasks.authoring.contents import Content, block_of, blocks_of, resource_contents
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
    assert blocks_of(value) is None
    assert shown(value) == {"content": [{"type": "text", "text": text}]}


def test_a_content_among_other_things_than_texts_is_one_value_with_them() -> None:
    assert blocks_of([Image(b"ab"), 7]) is None
    assert blocks_of([[Image(b"ab")]]) is None
    assert blocks_of({"picture": Image(b"ab")}) is None
    assert json.loads(shown([Image(b"ab"), 7])["content"][0]["text"])[1] == 7


@pytest.mark.parametrize("kind", [Image, Audio, EmbeddedResource, ResourceLink])
def test_a_function_that_says_it_returns_a_content_has_no_output_schema(kind: type[Content]) -> None:
    def give() -> Any:
        return None

    give.__annotations__["return"] = kind

    assert Signature(give).output_schema is None
    assert tool(description="Gives.")(give).work.call({}, CONTEXT).result == {"content": []}


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
