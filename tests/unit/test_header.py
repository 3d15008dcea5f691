"""Arguments that are also sent as headers: which annotations are valid, and which are rejected."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from mcp_tasks import Header, tool
from mcp_tasks.authoring.header import KEYWORD, PRIMITIVES, header_arguments
from mcp_tasks.features.signature import Signature
from mcp_tasks.tasks.model import JSON
from tests.unit.fields import Side

ANNOTATED = {"type": "string", KEYWORD: "Region"}


class Place(BaseModel):
    region: Annotated[str, Header("Region")]


def taking(hint: Any) -> Any:
    """Return a function with one argument, as an adopter would write it."""

    def function(argument: Any) -> str:
        return str(argument)

    function.__annotations__["argument"] = hint
    return function


def schema_of(hint: Any) -> Any:
    return Signature(taking(hint)).input_schema


def with_properties(**properties: JSON) -> dict[str, JSON]:
    return {"type": "object", "properties": properties}


def test_an_annotated_argument_has_its_annotation_in_the_schema() -> None:
    schema = schema_of(Annotated[str, Header("Region")])

    assert schema["properties"] == {"argument": {"type": "string", "x-mcp-header": "Region"}}
    assert header_arguments(schema) == {"Region": ("argument",)}


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (Annotated[int, Header("Region")], "integer"),
        (Annotated[bool, Header("Region")], "boolean"),
        (Annotated[Literal["eu", "us"], Header("Region")], "string"),
        (Annotated[str, Field(max_length=9, description="Where."), Header("Region")], "string"),
    ],
)
def test_whatever_is_one_word_can_be_a_header(hint: Any, kind: str) -> None:
    schema = schema_of(hint)

    assert schema["properties"]["argument"]["type"] == kind
    assert header_arguments(schema) == {"Region": ("argument",)}


def test_an_argument_that_may_be_left_out_can_be_a_header() -> None:
    def function(region: Annotated[str, Header("Region")] = "eu") -> str:
        return region

    assert header_arguments(Signature(function).input_schema) == {"Region": ("region",)}


def test_arguments_without_the_annotation_are_no_headers() -> None:
    assert header_arguments(schema_of(str)) == {}
    assert header_arguments({}) == {}


def test_an_annotation_deep_within_objects_is_found_by_its_path() -> None:
    inner = with_properties(region=ANNOTATED, zone={"type": "integer", KEYWORD: "Zone"})
    schema = with_properties(place=with_properties(inner=inner), flag={"type": "boolean", KEYWORD: "Flag"})

    assert header_arguments(schema) == {
        "Region": ("place", "inner", "region"),
        "Zone": ("place", "inner", "zone"),
        "Flag": ("flag",),
    }


@pytest.mark.parametrize("name", ["properties", "default", "examples", "items", "anyOf", "$defs", "$ref", KEYWORD, ""])
def test_a_property_may_be_called_what_a_keyword_is(name: str) -> None:
    assert header_arguments(with_properties(**{name: ANNOTATED})) == {"Region": (name,)}
    assert header_arguments(with_properties(**{name: with_properties(region=ANNOTATED)})) == {
        "Region": (name, "region")
    }


@pytest.mark.parametrize("keyword", ["default", "const", "examples", "enum"])
def test_what_only_looks_like_an_annotation_is_none(keyword: str) -> None:
    value = ANNOTATED if keyword in ("default", "const") else [ANNOTATED]

    assert header_arguments(with_properties(a={"type": "object", keyword: value}, b={"type": "string"})) == {}


@pytest.mark.parametrize(
    "schema",
    [
        with_properties(a={"type": "array", "items": ANNOTATED}),
        with_properties(a={"type": "array", "prefixItems": [ANNOTATED]}),
        with_properties(a={"anyOf": [ANNOTATED, {"type": "null"}]}),
        with_properties(a={"oneOf": [ANNOTATED]}),
        with_properties(a={"allOf": [ANNOTATED]}),
        with_properties(a={"type": "object", "additionalProperties": ANNOTATED}),
        with_properties(a={"type": "object", "patternProperties": {"^b": ANNOTATED}}),
        with_properties(a={"not": ANNOTATED}),
        {"type": "object", "$defs": {"b": ANNOTATED}, "properties": {"a": {"$ref": "#/$defs/b"}}},
        {"type": "object", "$defs": {"b": with_properties(c=ANNOTATED)}},
        {"type": "object", "if": with_properties(c=ANNOTATED)},
        {"type": "object", "dependentSchemas": {"b": with_properties(c=ANNOTATED)}},
        with_properties(a={"type": "array", "items": with_properties(c=ANNOTATED)}),
        {"type": "object", KEYWORD: "Region"},
        with_properties(a={"type": "object", KEYWORD: "Region"}),
        with_properties(a={"type": "array", KEYWORD: "Region"}),
        with_properties(a={"type": "number", KEYWORD: "Region"}),
        with_properties(a={"type": "null", KEYWORD: "Region"}),
        with_properties(a={"type": ["string", "null"], KEYWORD: "Region"}),
        with_properties(a={KEYWORD: "Region"}),
        with_properties(a={"$ref": "#/$defs/b", KEYWORD: "Region"}),
    ],
)
def test_an_annotation_where_no_client_could_follow_it_is_rejected(schema: dict[str, JSON]) -> None:
    with pytest.raises(TypeError, match="header Region: only an integer, a string or a boolean on its own can be one"):
        header_arguments(schema)


@pytest.mark.parametrize(
    "hint",
    [
        Annotated[float, Header("Region")],
        Annotated[str | None, Header("Region")],
        Annotated[str, Header("Region")] | None,
        Annotated[list[str], Header("Region")],
        list[Annotated[str, Header("Region")]],
        dict[str, Annotated[str, Header("Region")]],
        Annotated[Side, Header("Region")],
        Annotated[Any, Header("Region")],
        Place,
    ],
)
def test_a_tool_with_such_an_annotation_cannot_be_made(hint: Any) -> None:
    with pytest.raises(TypeError, match="header Region: only an integer, a string or a boolean"):
        tool(description="Takes.")(taking(hint))


@pytest.mark.parametrize(
    "name", ["", " ", "A B", "A:", "A/B", "(A)", "É", "A\r\nX-Evil: 1", "A\0", "a,b", '"a"', None, 7, ["A"]]
)
def test_what_is_no_name_of_a_header_is_rejected(name: Any) -> None:
    with pytest.raises(TypeError, match="is no name for a header"):
        header_arguments(with_properties(a={"type": "string", KEYWORD: name}))


@pytest.mark.parametrize("name", ["A", "a-b", "x_1", "!#$%&'*+.^_`|~", "0"])
def test_what_http_takes_for_a_name_is_one(name: str) -> None:
    assert header_arguments(with_properties(a={"type": "string", KEYWORD: name})) == {name: ("a",)}


@pytest.mark.parametrize("other", ["Region", "region", "REGION"])
def test_two_arguments_cannot_be_one_header_however_it_is_written(other: str) -> None:
    with pytest.raises(TypeError, match=f"two arguments are the header {other}"):
        header_arguments(with_properties(a=ANNOTATED, b=with_properties(c={"type": "integer", KEYWORD: other})))


def test_what_can_be_a_header_is_what_the_protocol_says() -> None:
    assert PRIMITIVES == ("integer", "string", "boolean")
