"""Dicts, lists of models, and content beside structured content."""

import json
import math
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, RootModel

from mcp_tasks import Image, ToolResult
from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.features.signature import Signature
from mcp_tasks.tasks.model import JSON
from tests.unit.callables import giving


class Item(BaseModel):
    name: str


@dataclass
class Thing:
    size: int


ITEM: dict[str, JSON] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
THING: dict[str, JSON] = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


@pytest.mark.parametrize(
    ("hint", "schema", "value", "structured"),
    [
        (dict[str, int], {"additionalProperties": {"type": "integer"}}, {"a": 1}, {"a": 1}),
        (dict[str, Any], {"additionalProperties": True}, {"a": None}, {"a": None}),
        (dict[date, Item], {"additionalProperties": ITEM}, {date(2026, 1, 2): Item(name="a")}, None),
        (Annotated[Item, "described"], {"properties": {"name": {"type": "string"}}, "required": ["name"]}, None, None),
        (list[Item], ITEM, [Item(name="a")], [{"name": "a"}]),
        (list[Item | Thing], {"anyOf": [ITEM, THING]}, [Thing(3), Item(name="a")], [{"size": 3}, {"name": "a"}]),
        (tuple[Thing, ...], THING, (Thing(3),), [{"size": 3}]),
        (RootModel[list[Thing]], THING, [Thing(3)], [{"size": 3}]),
    ],
)
def test_dicts_and_lists_of_models_are_structured(hint: Any, schema: JSON, value: Any, structured: JSON) -> None:
    signature = giving(hint)

    if isinstance(structured, list):
        items = {"type": "array", "items": schema}
        assert signature.output_schema == {"type": "object", "properties": {"result": items}, "required": ["result"]}
        returned = signature.returned(value).result
        assert returned["structuredContent"] == {"result": structured}
        assert json.loads(returned["content"][0]["text"]) == structured
    else:
        assert signature.output_schema == {"type": "object", **schema}
        if structured is not None:
            assert signature.structure(value) == structured


def test_a_dict_of_anything_holds_nulls_for_numbers_that_are_no_json_and_names_values_without_any() -> None:
    assert giving(dict[str, Any]).structure({"nan": math.nan}) == {"nan": None}
    with pytest.raises(BadResult, match=r"^it\['kind'\] is of type type, which has no JSON"):
        giving(dict[str, Any]).structure({"kind": int})
    with pytest.raises(BadResult, match=r"^nan: Input should be a valid number, not null$"):
        giving(dict[str, float]).structure({"nan": math.nan})


@pytest.mark.parametrize("hint", [list[int], list[dict[str, int]], list[Item | Image], Item | None, list, object])
def test_no_other_list_has_a_schema(hint: Any) -> None:
    assert giving(hint).output_schema is None


@pytest.mark.parametrize(("hint", "value"), [(dict[str, int], {"a": "x"}), (list[Item], [{"name": 3}])])
def test_a_dict_and_a_list_of_models_are_checked(hint: Any, value: Any) -> None:
    with pytest.raises(BadResult, match=r"^(a: Input should be a valid integer|0\.name: Input should be a valid str)"):
        giving(hint).returned(value)


def chart() -> ToolResult[Item]:
    return ToolResult(content=["A chart.", Image(b"x")], structured_content=Item(name="a"))


def test_a_result_has_content_beside_structured_content() -> None:
    assert Signature(chart).output_schema == ITEM
    assert Signature(chart).returned(chart()).result == {
        "content": [{"type": "text", "text": "A chart."}, {"type": "image", "data": "eA==", "mimeType": "image/png"}],
        "structuredContent": {"name": "a"},
    }


def test_one_text_is_content_beside_a_list() -> None:
    returned = giving(ToolResult[list[Thing]]).returned(ToolResult("Three.", [Thing(3)])).result

    assert returned == {
        "content": [{"type": "text", "text": "Three."}],
        "structuredContent": {"result": [{"size": 3}]},
    }


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (ToolResult[Item], ToolResult("", {"name": 3}), "^name: Input should be a valid string, not 3$"),
        (Item, ToolResult("", Item(name="a")), "annotate the function as in -> ToolResult"),
        (object, ToolResult("", Item(name="a")), "annotate the function as in -> ToolResult"),
        (ToolResult[Item], ToolResult([3], Item(name="a")), "^its content is texts, images"),  # type: ignore[list-item]
        (ToolResult[Item], ToolResult(None, Item(name="a")), "^its content is texts, images"),  # type: ignore[arg-type]
    ],
)
def test_content_beside_structured_content_is_checked(hint: Any, value: Any, words: str) -> None:
    with pytest.raises(BadResult, match=words):
        giving(hint).returned(value)


@pytest.mark.parametrize("hint", [ToolResult[int], ToolResult[list[int]]])
def test_beside_content_there_is_an_object_or_a_list_of_models(hint: Any) -> None:
    signature = giving(hint)

    with pytest.raises(TypeError, match=r"give: .*a ToolResult has an object or a list of models beside its content"):
        signature.check_definition(lambda: signature.output_schema)


def test_without_a_type_there_is_any_object_beside_content() -> None:
    assert giving(ToolResult).output_schema == {"type": "object", "additionalProperties": True}
    assert giving(ToolResult).structure({"a": [1]}) == {"a": [1]}


class Report(BaseModel):
    rows: Any


class File(BaseModel):
    data: bytes


@dataclass
class Chart:
    picture: Image


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Report(rows=[Image(b"ascii")]), "it.rows[0] is of type Image, which is sent beside data"),
        (Report(rows={"a": Report(rows=Image(b"ascii"))}), "it.rows['a'].rows is of type Image"),
        (Report(rows=[b"so", b"\xff"]), "it.rows[1] is bytes that are no text"),
        (Report(rows=[File(data=b"\xff")]), "it.rows[0].data is bytes that are no text"),
        (Report(rows=[ToolResult("a", {})]), "it.rows[0] is of type ToolResult, which is a whole result"),
        (Report(rows=[object()]), "it.rows[0] is of type object, which has no JSON"),
    ],
)
def test_an_item_of_a_model_that_cannot_be_sent_is_named(value: Report, words: str) -> None:
    with pytest.raises(BadResult) as refused:
        giving(Report).returned(value)

    assert str(refused.value).startswith(words)


def test_a_field_that_is_a_content_is_refused_where_the_tool_is_defined() -> None:
    with pytest.raises(TypeError, match=r"a field of the result is of type Image, which is sent beside data"):
        assert giving(Chart).output_schema


def test_bytes_in_a_model_are_text_or_what_the_model_says() -> None:
    class Encoded(File):
        model_config = ConfigDict(ser_json_bytes="base64")

    assert giving(File).structure(File(data=b"so")) == {"data": "so"}
    assert giving(Encoded).structure(Encoded(data=b"\xff")) == {"data": "_w=="}
