"""Forms: which fields a user can be asked for, and their schema."""

from datetime import date, datetime
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import AnyUrl, ConfigDict, Field, WithJsonSchema

from mcp_tasks import Form
from tests.unit.fields import Only, Side, form, shown


@pytest.mark.parametrize(
    ("hint", "says"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (date, {"type": "string", "format": "date"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (AnyUrl, {"type": "string", "format": "uri", "minLength": 1}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a"], {"type": "string", "enum": ["a"]}),
        (Literal[Side.LEFT], {"type": "string", "enum": ["left"]}),
        (list[Literal["a", "b"]], {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
        (list[Literal["a"]], {"type": "array", "items": {"type": "string", "enum": ["a"]}}),
        (list[Side], {"type": "array", "items": {"type": "string", "enum": ["left", "right"]}}),
        (list[Only], {"type": "array", "items": {"type": "string", "enum": ["one"]}}),
        (tuple[Side, ...], {"type": "array", "items": {"type": "string", "enum": ["left", "right"]}}),
        (Annotated[str, Field(min_length=1, max_length=9)], {"type": "string", "minLength": 1, "maxLength": 9}),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[float, Field(ge=0.5)], {"type": "number", "minimum": 0.5}),
        (
            Annotated[list[Only], Field(min_length=1, max_length=2)],
            {"type": "array", "items": {"type": "string", "enum": ["one"]}, "minItems": 1, "maxItems": 2},
        ),
        (Annotated[str, Field(json_schema_extra={"format": "email"})], {"type": "string", "format": "email"}),
        (Annotated[str, "Your name."], {"type": "string", "description": "Your name."}),
        (date | None, {"type": "string", "format": "date"}),
        (Optional[int], {"type": "integer"}),  # noqa: UP045  # an adopter may write it so
        (list[Side] | None, {"type": "array", "items": {"type": "string", "enum": ["left", "right"]}}),
        (Annotated[float | None, Field(ge=0.5)], {"type": "number", "minimum": 0.5}),
    ],
)
def test_a_field_is_shown_in_the_protocols_words(hint: Any, says: dict[str, Any]) -> None:
    assert shown(hint) == {**says, "title": "Field"}


def test_an_enum_is_written_out_with_what_it_says_of_itself() -> None:
    assert shown(Side) == {
        "type": "string",
        "enum": ["left", "right"],
        "title": "Side",
        "description": "Which side of the road.",
    }


def test_an_enum_that_says_nothing_of_itself_adds_nothing() -> None:
    assert shown(Only) == {"type": "string", "enum": ["one"], "title": "Only"}


def test_what_the_field_says_goes_before_what_its_enum_says() -> None:
    field = shown(Annotated[Side, Field(title="Lane", description="Where to stop.")])

    assert (field["title"], field["description"]) == ("Lane", "Where to stop.")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
        {"type": "string", "enum": ["a"], "enumNames": ["A"]},
        {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
    ],
)
def test_choices_with_titles_can_be_spelled_out(schema: Any) -> None:
    assert shown(Annotated[Any, WithJsonSchema(schema)]) == {**schema, "title": "Field"}


@pytest.mark.parametrize(
    ("hint", "default", "says"),
    [
        (str, "x", "x"),
        (int, 30, 30),
        (float, 95.5, 95.5),
        (float, 95, 95),
        (bool, True, True),
        (bool, False, False),
        (date, date(2026, 1, 2), "2026-01-02"),
        (Side, Side.LEFT, "left"),
        (Literal["a", "b"], "b", "b"),
        (list[Side], [Side.RIGHT], ["right"]),
        (list[Side], [], []),
        (Annotated[int, Field(ge=5)], 5, 5),
    ],
)
def test_a_default_is_filled_in_for_the_user_and_need_not_be_given(hint: Any, default: Any, says: Any) -> None:
    form_type = form(hint, default)

    assert form_type.requested_schema()["properties"]["field"]["default"] == says
    assert "required" not in form_type.requested_schema()
    assert form_type.filled_in({}) == form_type.filled_in({"field": says})


def test_a_default_that_is_made_when_it_is_needed_is_not_shown() -> None:
    assert "default" not in shown(str, Field(default_factory=str))


class Address(Form):
    """Where somebody lives."""

    street: str
    side: Side = Side.LEFT


class Attempt(Address):
    """Where something goes."""

    floor: Annotated[int, Field(ge=0)]


def test_a_form_says_what_is_required_and_nothing_of_itself() -> None:
    assert Address.requested_schema().keys() == {"type", "properties", "required"}
    assert Address.requested_schema()["required"] == ["street"]


def test_a_form_that_derives_from_another_asks_for_both_in_order() -> None:
    assert list(Attempt.requested_schema()["properties"]) == ["street", "side", "floor"]
    assert Attempt.requested_schema()["required"] == ["street", "floor"]
    assert list(Address.requested_schema()["properties"]) == ["street", "side"]


def test_an_alias_is_what_the_user_sees_and_what_comes_back() -> None:
    class Renamed(Form):
        model_config = ConfigDict(extra="forbid")

        post_code: Annotated[str, Field(alias="post code")]

    assert Renamed.requested_schema()["properties"].keys() == {"post code"}
    assert Renamed.filled_in({"post code": "1010"}).post_code == "1010"
    with pytest.raises(ValueError, match=r"^there is no zip, only: post code$"):
        Renamed.filled_in({"post code": "1010", "zip": "x"})


def test_a_form_without_fields_is_a_yes_or_a_no() -> None:
    class Empty(Form):
        pass

    assert Empty.requested_schema() == {"type": "object", "properties": {}}


def test_a_form_is_worked_out_once() -> None:
    assert Address.requested_schema() is Address.requested_schema()
    assert Address.requested_schema() is not Attempt.requested_schema()
