"""The input schema of a function's annotations."""

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from mcp_tasks.features.signature import Signature
from tests.unit.callables import anything, call, complaint, later, model_words, plain, rich, travel, wrapped


def nothing() -> str:
    return "nothing"


def test_a_function_without_arguments_takes_an_empty_object() -> None:
    assert Signature(nothing).input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert call(nothing) == "nothing"
    assert complaint(nothing, x=1) == "there is no x, only: nothing"


def test_the_schema_of_plain_arguments_says_no_more_than_the_signature() -> None:
    assert Signature(plain).input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "size": {"type": "integer", "default": 3},
            "ratio": {"type": "number", "default": 0.5},
            "deep": {"type": "boolean", "default": False},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_the_schema_keeps_choices_descriptions_and_bounds() -> None:
    assert Signature(rich).input_schema == {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
            "label": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "on": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many.", "default": 5},
        },
        "required": ["colour"],
        "additionalProperties": False,
    }


def test_a_nested_model_brings_no_titles_but_keeps_a_property_of_that_name() -> None:
    schema = Signature(travel).input_schema

    place = {
        "type": "object",
        "description": "Where on earth.",
        "properties": {
            "lat": {"type": "number", "minimum": -90, "maximum": 90, "description": "Degrees north."},
            "title": {"type": "string", "default": "nowhere"},
        },
        "required": ["lat"],
    }
    assert schema["properties"]["trip"]["properties"] == {
        "stops": {"type": "array", "items": place},
        "by_name": {"type": "object", "additionalProperties": place, "default": {}},
        "back": {"anyOf": [place, {"type": "null"}], "default": None},
    }


def test_a_default_that_has_a_title_keeps_it() -> None:
    def show(card: dict[str, str] = {"title": "A"}) -> str:  # noqa: B006  # an adopter may write it so
        return card["title"]

    assert Signature(show).input_schema["properties"]["card"]["default"] == {"title": "A"}


@pytest.mark.parametrize("function", [nothing, plain, rich, travel, model_words, anything, later, wrapped])
def test_every_schema_is_a_json_schema(function: Callable[..., Any]) -> None:
    signature = Signature(function)

    for schema in filter(None, [signature.input_schema, signature.output_schema]):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"


def star(*names: str) -> str:
    return ""


def stars(**names: str) -> str:
    return ""


def by_place(name: str, /) -> str:
    return ""


def bare(name) -> str:  # type: ignore[no-untyped-def]  # what it is about
    return ""


def default_field(size: int = Field(3, ge=1)) -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (star, r"star: a tool names each argument; \*names: str does not"),
        (stars, r"stars: a tool names each argument; \*\*names: str does not"),
        (by_place, "by_place: a tool names each argument"),
        (bare, "bare: annotate name: its schema comes from there"),
        (default_field, r"default_field: write size: Annotated\[\.\.\., Field\(\.\.\.\)\]"),
    ],
)
def test_what_no_client_could_call_is_rejected_at_once(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Signature(function)
