"""The values of tools and resources as JSON and content blocks, and the items that cannot be sent."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict

from mcp_tasks import Audio, Image, Message, ToolResult, resource
from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.features.signature import Signature
from tests.unit.callables import CONTEXT
from tests.unit.library_types import frame, index, number, value_of

PNG = b"\x89PNG\r\n\x1a\n"
PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
PRICE = {"type": "text", "text": '{"price":"1.10"}'}


class Colour(Enum):
    RED = "red"


class Item(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    count: float
    more: object = None


@dataclass
class Row:
    name: str
    picture: object = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Encoded(BaseModel):
    model_config = ConfigDict(ser_json_bytes="base64")

    data: bytes


def loop() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


VALUES: list[tuple[Callable[[], Any], str]] = [
    (lambda: datetime(2026, 1, 1, tzinfo=UTC), '"2026-01-01T00:00:00Z"'),
    (lambda: date(2026, 1, 1), '"2026-01-01"'),
    (lambda: Decimal("1.10"), '"1.10"'),
    (lambda: UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    (lambda: Colour.RED, '"red"'),
    (lambda: {"one": {1}}, '{"one":[1]}'),
    (lambda: Row("a"), '{"name":"a","picture":null}'),
    (lambda: Item(count=1), '{"count":1.0,"more":null}'),
    (lambda: [Item(count=1)], '[{"count":1.0,"more":null}]'),
    (lambda: {"data": b"so"}, '{"data":"so"}'),
    (lambda: Item(count=1, more=[b"so"]), '{"count":1.0,"more":["so"]}'),
    (lambda: [Encoded(data=b"\xff")], '[{"data":"_w=="}]'),
    (lambda: (each for each in [1, 2]), "[1,2]"),
    (lambda: {"x": float("nan"), "y": float("-inf")}, '{"x":null,"y":null}'),
    (lambda: Item(count=float("nan")), '{"count":null,"more":null}'),
    (lambda: deque([1]), "[1]"),
    (lambda: range(2), "[0,1]"),
    (lambda: {"a": 1}.keys(), '["a"]'),
    (lambda: {"a": 1}.values(), "[1]"),
    (lambda: MappingProxyType({"a": 1}), '{"a":1}'),
    (lambda: {date(2026, 1, 1): 1, None: 2}, '{"2026-01-01":1,"None":2}'),
    (lambda: ["a\udce9.txt", Path("a\udce9.txt"), {"a\udce9": 1}], '["a?.txt","a?.txt",{"a?":1}]'),
    (lambda: {"n": number(5), "all": number([1, 2])}, '{"n":5,"all":[1,2]}'),
    (lambda: Item(count=1, more=number(5)), '{"count":1.0,"more":5}'),
    (lambda: frame([{"a": 1}, {"a": float("nan")}], index("i")), '[{"a":1},{"a":null}]'),
    (lambda: value_of("pandas.core.series", "Series", tolist=lambda: [1], index=index("i")), "[1]"),
    (lambda: [value_of("pandas._libs", "NaTType"), value_of("pandas._libs", "NAType")], "[null,null]"),
    (lambda: value_of("polars.dataframe.frame", "DataFrame", to_dicts=lambda: [{"a": 1}]), '[{"a":1}]'),
    (lambda: value_of("polars.series.series", "Series", to_list=lambda: [1]), "[1]"),
]

REJECTED: list[tuple[Callable[[], Any], str]] = [
    (lambda: {"image": Image(PNG)}, r"it\['image'\] is of type Image, which is sent beside data"),
    (lambda: {"sound": Audio(b"ascii")}, r"it\['sound'\] is of type Audio, which is sent beside data"),
    (lambda: [["a", Image(b"ascii")]], r"it\[0\]\[1\] is of type Image"),
    (lambda: Row("a", Image(b"ascii")), r"it\.picture is of type Image"),
    (lambda: Item(count=1, more=Image(b"ascii")), r"it\.more is of type Image"),
    (lambda: Item(count=1, more=[Image(b"ascii")]), r"it\.more\[0\] is of type Image, which is sent beside data"),
    (lambda: [Item(count=1, more={"a": Row("b", Audio(b"ascii"))})], r"it\[0\]\.more\['a'\]\.picture is of type Audio"),
    (lambda: Open.model_validate({"sound": [Audio(b"ascii")]}), r"it\.sound\[0\] is of type Audio"),
    (lambda: Item(count=1, more=[CONTEXT]), r"it\.more\[0\] is of type Context, which is no result"),
    (
        lambda: {"all": ToolResult("a", {})},
        r"it\['all'\] is of type ToolResult, which is a whole result: return it alone",
    ),
    (lambda: Item(count=1, more=[ToolResult("a", {})]), r"it\.more\[0\] is of type ToolResult"),
    (lambda: {"said": Message("user", "a")}, r"it\['said'\] is of type Message, which is no result"),
    (lambda: Item(count=1, more=[b"so", b"\xff"]), r"it\.more\[1\] is bytes that are no text"),
    (lambda: {"rows": [b"so", b"\xff"]}, r"it\['rows'\]\[1\] is bytes that are no text"),
    (lambda: [1, object()], r"it\[1\] is of type object, which has no JSON"),
    (lambda: Item(count=1, more=object()), r"it\.more is of type object, which has no JSON"),
    (lambda: {object(): 1}, r"a key of it is of type object, which has no JSON"),
    (lambda: {"context": CONTEXT}, r"it\['context'\] is of type Context, which is no result"),
    (loop, "it is nested too deeply, or holds itself"),
    (lambda: frame([], index("O")), r"it is of type .*DataFrame, and its index would be lost: .* reset_index\(\)"),
    (lambda: frame([], index("i", "month")), r"it is of type .*DataFrame, and its index would be lost"),
    (
        lambda: frame([], index("i"), is_unique=False),
        r"it is of type .*DataFrame, and two of its columns have one name",
    ),
    (lambda: [number(7, kind="M")], r"it\[0\] is of type numpy.int64, which has no JSON"),
    (lambda: value_of("polars.lazyframe.frame", "LazyFrame"), "it is of type .*LazyFrame, which has no JSON"),
]


def shown(value: object) -> Any:
    """Return the content of the result of a tool that returns the value."""

    def give() -> Any:
        return value

    return Signature(give).call({}, CONTEXT).result["content"]


def contents(value: object) -> Any:
    """Return the contents of a resource whose function returns the value."""

    def give() -> Any:
        return value

    (found,) = resource("a://b")(give).read("a://b", {}, CONTEXT)
    return found


@pytest.mark.parametrize(("make", "text"), VALUES)
def test_tools_and_resources_write_a_value_as_the_same_json(make: Callable[[], Any], text: str) -> None:
    assert shown(make()) == [{"type": "text", "text": text}]
    assert contents(make()) == {"uri": "a://b", "mimeType": "application/json", "text": text}


@pytest.mark.parametrize(("make", "words"), REJECTED)
def test_a_value_that_cannot_be_sent_is_rejected_with_its_place(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(BadResult, match=f"^{words}"):
        shown(make())
    with pytest.raises(BadResult, match=f"^{words}"):
        contents(make())


@pytest.mark.parametrize("make", [bytearray, memoryview])
def test_a_resource_returns_its_bytes_in_any_type(make: Callable[[bytes], Any]) -> None:
    assert contents(make(b"\xff")) == {"uri": "a://b", "blob": "/w=="}


@pytest.mark.parametrize(
    ("value", "blocks"),
    [
        ([{"price": Decimal("1.10")}, Image(PNG)], [PRICE, PICTURE]),
        ([Image(PNG), None], [PICTURE]),
        ([Image(PNG), 7, ["a"]], [PICTURE, {"type": "text", "text": "7"}, {"type": "text", "text": '["a"]'}]),
        (
            ("so", Item(count=1), Image(PNG)),
            [{"type": "text", "text": "so"}, {"type": "text", "text": '{"count":1.0,"more":null}'}, PICTURE],
        ),
    ],
)
def test_a_content_and_the_data_beside_it_are_a_block_each(value: object, blocks: list[Any]) -> None:
    assert shown(value) == blocks


def test_data_beside_a_content_is_rejected_with_its_place() -> None:
    with pytest.raises(BadResult, match=r"^it\[1\]\['raw'\] is bytes that are no text"):
        shown([Image(PNG), {"raw": b"\xff"}])
