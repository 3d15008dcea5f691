"""The content of forms: accepted if it fits the schema, and never converted until it does."""

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import Field, field_validator

from mcp_tasks import Form
from mcp_tasks.tasks.model import JSON
from tests.unit.fields import Side


class Booking(Form):
    name: Annotated[str, Field(max_length=20)]
    nights: Annotated[int, Field(ge=1)] = 2
    price: float = 9.5
    agreed: bool = False
    side: Side = Side.LEFT
    kind: Literal["slow", "fast"] = "slow"
    sides: Annotated[list[Side], Field(max_length=2)] = []  # noqa: RUF012  # as adopters write forms
    on: date = date(2026, 1, 2)

    @field_validator("name")
    @classmethod
    def _is_no_number(cls, name: str) -> str:
        if name.isdecimal():
            raise ValueError("a name is no number")
        return name


SIDE = {"title": "Side", "description": "Which side of the road."}


def complaint(**content: JSON) -> str:
    """Return the message of the error for an invalid form."""
    with pytest.raises(ValueError, match=r"\w") as error:
        Booking.filled_in(content)
    return str(error.value)


def test_what_was_filled_in_arrives_as_it_was_annotated() -> None:
    booking = Booking.filled_in(
        {
            "name": "Ada",
            "nights": 3,
            "price": 12,
            "agreed": True,
            "side": "right",
            "kind": "fast",
            "sides": ["right", "left"],
            "on": "2026-03-04",
        }
    )

    assert booking == Booking(
        name="Ada",
        nights=3,
        price=12.0,
        agreed=True,
        side=Side.RIGHT,
        kind="fast",
        sides=[Side.RIGHT, Side.LEFT],
        on=date(2026, 3, 4),
    )


def test_what_was_left_alone_is_as_it_was_shown() -> None:
    assert Booking.filled_in({"name": "Ada"}) == Booking(name="Ada")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({}, "name is missing"),
        ({"name": None}, "name: Input should be a valid string, not null"),
        ({"name": 7}, "name: Input should be a valid string, not 7"),
        ({"name": ["Ada"]}, 'name: Input should be a valid string, not ["Ada"]'),
        ({"name": {"first": "Ada"}}, 'name: Input should be a valid string, not {"first": "Ada"}'),
        ({"name": "7"}, 'name: Value error, a name is no number, not "7"'),
        ({"name": "x" * 21}, f'name: String should have at most 20 characters, not "{"x" * 21}"'),
        ({"name": "a", "nights": "3"}, 'nights: Input should be a valid integer, not "3"'),
        ({"name": "a", "nights": 3.5}, "nights: Input should be a valid integer, not 3.5"),
        ({"name": "a", "nights": 0.0}, "nights: Input should be greater than or equal to 1, not 0"),
        ({"name": 3.0}, "name: Input should be a valid string, not 3.0"),
        ({"name": "a", "nights": True}, "nights: Input should be a valid integer, not true"),
        ({"name": "a", "nights": 0}, "nights: Input should be greater than or equal to 1, not 0"),
        ({"name": "a", "price": "1"}, 'price: Input should be a valid number, not "1"'),
        ({"name": "a", "price": True}, "price: Input should be a valid number, not true"),
        ({"name": "a", "agreed": "yes"}, 'agreed: Input should be a valid boolean, not "yes"'),
        ({"name": "a", "agreed": 1}, "agreed: Input should be a valid boolean, not 1"),
        ({"name": "a", "side": "up"}, "side: Input should be 'left' or 'right', not \"up\""),
        ({"name": "a", "side": "LEFT"}, "side: Input should be 'left' or 'right', not \"LEFT\""),
        ({"name": "a", "kind": ["slow"]}, "kind: Input should be 'slow' or 'fast', not [\"slow\"]"),
        ({"name": "a", "sides": "left"}, 'sides: Input should be a valid array, not "left"'),
        ({"name": "a", "sides": ["left", "up"]}, "sides.1: Input should be 'left' or 'right', not \"up\""),
        ({"name": "a", "on": 7}, "on: Input should be a valid date, not 7"),
    ],
)
def test_what_does_not_fit_is_rejected_with_the_field_and_what_was_given(content: dict[str, JSON], words: str) -> None:
    assert complaint(**content) == words


def test_the_user_is_shown_several_errors_at_once() -> None:
    assert complaint(nights=0, agreed=1).count("; ") == 2


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 10**400, -(10**400)])
def test_a_number_that_python_cannot_hold_is_rejected(number: float) -> None:
    assert complaint(name="a", price=number).startswith("price: Input should be a finite number, not")


def test_a_large_whole_number_is_taken_as_it_is() -> None:
    assert Booking.filled_in({"name": "a", "nights": 10**30}).nights == 10**30


@pytest.mark.parametrize(("nights", "taken"), [(3.0, 3), (1e300, int(1e300))])
def test_a_whole_number_is_one_however_it_is_written(nights: float, taken: int) -> None:
    booking = Booking.filled_in({"name": "a", "nights": nights, "price": -0.0})

    assert (booking.nights, type(booking.nights), str(booking.price)) == (taken, int, "-0.0")


def test_a_number_too_long_to_write_is_rejected() -> None:
    with pytest.raises(ValueError, match="4300 digits"):
        Booking.filled_in({"name": "a", "nights": 10**5000})


@pytest.mark.parametrize("content", [{"name": "\ud800"}, {"name": "a", "\udfff": 1}])
def test_half_a_character_is_rejected(content: dict[str, JSON]) -> None:
    assert "Invalid JSON" in complaint(**content)


@pytest.mark.parametrize("name", ["\0", "é😀\u2028", "</form>", "'; --", " ", ""])
def test_any_text_is_text(name: str) -> None:
    assert Booking.filled_in({"name": name}).name == name


@pytest.mark.parametrize("more", ["more", "__class__", "model_config", "filled_in", ""])
def test_what_nobody_asked_for_is_left_out(more: str) -> None:
    booking = Booking.filled_in({"name": "a", more: "x"})

    assert booking == Booking(name="a")
    assert booking.model_extra is None


def test_a_long_answer_is_not_repeated_whole() -> None:
    assert len(complaint(name="a", kind="x" * 1_000_000)) < 200
    assert len(complaint(name="x" * 1_000_000)) < 200


values = st.one_of(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    st.sampled_from(["left", "right", "slow", "2026-01-02", "2026-13-40"]),
    st.lists(st.sampled_from(["left", "right", "up", 1, None]), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys([*Booking.model_fields, "more"], values)))
@example({"name": "a", "nights": 2.0})
def test_what_the_form_as_shown_rejects_is_rejected(content: dict[str, Any]) -> None:
    fits = Draft202012Validator(Booking.requested_schema()).is_valid(content)

    try:
        Booking.filled_in(content)
    except ValueError:
        rejected = True
    else:
        rejected = False

    assert rejected or fits
    # Stricter than what is shown in two points: a date is one, and the name has a rule of its own.
    ruled = "on" in content or str(content.get("name", "")).isdecimal()
    assert rejected == (not fits) or ruled


class Visit(Form):
    on: date | None
    nights: Annotated[int, Field(ge=1)] | None = None
    side: Side | None = Side.LEFT


def test_an_optional_field_is_asked_and_may_be_left_empty() -> None:
    assert Visit.requested_schema() == {
        "type": "object",
        "properties": {
            "on": {"type": "string", "format": "date", "title": "On"},
            "nights": {"type": "integer", "minimum": 1, "title": "Nights"},
            "side": {"type": "string", "enum": ["left", "right"], "default": "left", **SIDE},
        },
    }
    assert Visit.filled_in({}) == Visit(on=None, nights=None, side=Side.LEFT)
    assert Visit.filled_in({"on": "2026-01-02", "nights": 3.0, "side": "right"}) == Visit(
        on=date(2026, 1, 2), nights=3, side=Side.RIGHT
    )
    with pytest.raises(ValueError, match=r"^nights: Input should be greater than or equal to 1, not 0$"):
        Visit.filled_in({"nights": 0})
