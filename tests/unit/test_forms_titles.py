"""Choices with titles: users read other names than those in the response."""

from enum import Enum
from typing import Annotated, Any, Literal

import pytest

from mcp_tasks import Form, Titles
from tests.unit.fields import Only, Side, form, shown

SIZES = Titles({"s": "Small", "l": "Large"})
SIDES = Titles({"left": "To the left", "right": "To the right"})
TITLED_SIDES = [{"const": "left", "title": "To the left"}, {"const": "right", "title": "To the right"}]


class Parcel(Form):
    size: Annotated[Literal["s", "l"], SIZES] = "s"
    from_: Annotated[Side, SIDES] = Side.LEFT
    extras: list[Annotated[Side, SIDES]] = []  # noqa: RUF012  # as adopters write forms


def test_choices_are_shown_with_their_titles_in_the_order_of_the_choices() -> None:
    assert shown(Annotated[Literal["l", "s"], SIZES]) == {
        "type": "string",
        "oneOf": [{"const": "l", "title": "Large"}, {"const": "s", "title": "Small"}],
        "title": "Field",
    }


def test_one_choice_can_have_a_title_too() -> None:
    assert shown(Annotated[Literal["s"], Titles({"s": "Small"})])["oneOf"] == [{"const": "s", "title": "Small"}]
    assert shown(Annotated[Only, Titles({"one": "The only one"})])["oneOf"] == [
        {"const": "one", "title": "The only one"}
    ]


def test_an_enum_goes_by_its_values_and_keeps_what_it_says_of_itself() -> None:
    assert shown(Annotated[Side, SIDES]) == {
        "type": "string",
        "oneOf": TITLED_SIDES,
        "title": "Side",
        "description": "Which side of the road.",
    }


@pytest.mark.parametrize("hint", [list[Annotated[Side, SIDES]], tuple[Annotated[Literal["left", "right"], SIDES], ...]])
def test_several_can_be_picked_by_their_titles(hint: Any) -> None:
    assert shown(hint) == {"type": "array", "items": {"anyOf": TITLED_SIDES}, "title": "Field"}


def test_one_enum_can_have_titles_in_one_field_and_none_in_another() -> None:
    class Both(Form):
        plain: Side
        titled: Annotated[Side, SIDES]

    fields = Both.requested_schema()["properties"]

    assert (fields["plain"].get("enum"), fields["titled"].get("oneOf")) == (["left", "right"], TITLED_SIDES)


def test_what_comes_back_is_the_choice_and_not_its_title() -> None:
    assert Parcel.filled_in({"size": "l", "from_": "right", "extras": ["left"]}) == Parcel(
        size="l", from_=Side.RIGHT, extras=[Side.LEFT]
    )
    with pytest.raises(ValueError, match="size: Input should be 's' or 'l'"):
        Parcel.filled_in({"size": "Large"})


def test_a_default_is_shown_beside_the_titles() -> None:
    fields = Parcel.requested_schema()["properties"]

    assert [field["default"] for field in fields.values()] == ["s", "left", []]


class Number(Enum):
    ONE = 1


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (Annotated[Literal["s", "m", "l"], SIZES], r"there are titles for \['l', 's'\], where the choices are"),
        (Annotated[Literal["s"], SIZES], r"titles for \['l', 's'\], where the choices are \['s'\]"),
        (Annotated[str, SIZES], "where the choices are"),
        (Annotated[int, SIZES], "where the choices are"),
        (Annotated[list[Literal["s", "l"]], SIZES], "where the choices are"),
        (list[Annotated[Literal["s"], SIZES]], r"where the choices are \['s'\]"),
    ],
)
def test_titles_of_anything_but_the_choices_are_rejected(hint: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        form(hint)


def test_choices_that_are_no_texts_are_rejected_with_titles_as_without() -> None:
    with pytest.raises(TypeError, match="where the choices are"):
        form(Annotated[Number, Titles({"1": "One"})])
