"""A client's JSON as arguments of a function, or as an error."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import IntEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from mcp_tasks import Context
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.features.signature import Signature
from mcp_tasks.tasks.model import JSON
from tests.unit.callables import (
    CONTEXT,
    Colour,
    Place,
    Trip,
    anything,
    call,
    complaint,
    later,
    model_words,
    plain,
    rich,
    travel,
    wrapped,
)


def first(context: Context, name: str) -> str:
    return f"{context.caller.subject} {name}"


def last(name: str, context: Context) -> str:
    return f"{context.caller.subject} {name}"


def amid(name: str, ctx: Context | None = None, size: int = 1) -> str:
    return f"{ctx.caller.subject if ctx else None} {name} {size}"


@pytest.mark.parametrize("function", [first, last])
def test_the_context_is_passed_wherever_it_stands_and_not_in_the_schema(function: Callable[..., Any]) -> None:
    assert list(Signature(function).input_schema["properties"]) == ["name"]
    assert call(function, name="x") == "ada x"
    assert complaint(function, name="x", context={}) == "there is no context, only: name"


def test_an_optional_context_is_passed_too() -> None:
    assert list(Signature(amid).input_schema["properties"]) == ["name", "size"]
    assert call(amid, name="x") == "ada x 1"


def test_an_argument_may_have_a_name_that_models_use_themselves() -> None:
    arguments = {"json": "a", "copy": 1, "schema": True, "model_config": "c", "self": "s"}

    assert Signature(model_words).run(arguments, CONTEXT) == ["a", 1, True, "c", "s"]


def test_arguments_arrive_as_the_annotated_types() -> None:
    given = call(rich, colour="red", on="2026-01-02", limit=7)

    assert given == [Colour.RED, "fast", None, date(2026, 1, 2), 7]


def test_a_nested_model_arrives_as_a_model() -> None:
    assert call(travel, trip={"stops": [{"lat": 1}]}) == Trip(stops=[Place(lat=1)])


@pytest.mark.parametrize(
    ("hint", "given", "expected"),
    [
        (float, 3, 3.0),
        (Decimal, "1.10", Decimal("1.10")),
        (datetime, "2026-01-02T03:04:05Z", datetime.fromisoformat("2026-01-02T03:04:05+00:00")),
        (tuple[int, str], [1, "a"], (1, "a")),
        (set[int], [1, 2, 2], {1, 2}),
        (int | str, "7", "7"),
        (dict[str, list[int]], {"a": [1]}, {"a": [1]}),
        (Any, {"a": [None]}, {"a": [None]}),
        (Literal[1, 2], 2, 2),
        (str, "\u2028é😀\0", "\u2028é😀\0"),
    ],
)
def test_json_becomes_what_python_means_by_it(hint: Any, given: JSON, expected: object) -> None:
    def take(x: Any) -> Any:
        return x

    take.__annotations__["x"] = hint

    assert call(take, x=given) == expected


class Count(BaseModel):
    number: int


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("hint", "given", "expected"),
    [
        (int, 5.0, 5),
        (int, -0.0, 0),
        (int, 1e300, int(1e300)),
        (list[int], [1.0, 2], [1, 2]),
        (int | None, 5.0, 5),
        (dict[str, int], {"a": 5.0}, {"a": 5}),
        (Annotated[int, Field(ge=5, le=5)], 5.0, 5),
        (Count, {"number": 5.0}, Count(number=5)),
        (Literal[5], 5.0, 5),
        (Level, 1.0, Level.LOW),
        (int | str, 5.0, 5),
        (tuple[int, float], [5.0, 5.0], (5, 5.0)),
    ],
)
def test_a_whole_number_written_as_a_float_is_an_integer(hint: Any, given: JSON, expected: object) -> None:
    def take(x: Any) -> Any:
        return x

    take.__annotations__["x"] = hint
    taken = call(take, x=given)

    assert taken == expected
    assert "." not in str(taken) or isinstance(taken, tuple)


@pytest.mark.parametrize("given", [5.5, "5.0", True, None])
def test_another_value_is_no_integer(given: JSON) -> None:
    assert complaint(plain, name="x", size=given).startswith("size: Input should be a valid integer, not ")


def test_numbers_of_a_long_message_are_not_written_out() -> None:
    items: list[float] = [1e300] * 20_000

    assert complaint(anything, value=0, items=items) == "20,000 values do not fit the schema"
    assert call(anything, value=[5.0] * 20_000, items=[5.0]) == [[5] * 20_000, [5]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "name is missing"),
        ({"name": 7}, "name: Input should be a valid string, not 7"),
        ({"name": None}, "name: Input should be a valid string, not null"),
        ({"name": "x", "size": "7"}, 'size: Input should be a valid integer, not "7"'),
        ({"name": "x", "size": 7.5}, "size: Input should be a valid integer, not 7.5"),
        ({"name": "x", "size": True}, "size: Input should be a valid integer, not true"),
        ({"name": "x", "deep": 1}, "deep: Input should be a valid boolean, not 1"),
        ({"name": "x", "deep": "yes"}, 'deep: Input should be a valid boolean, not "yes"'),
        ({"name": "x", "colour": "red"}, "there is no colour, only: name, size, ratio, deep"),
        ({"size": "7"}, 'name is missing; size: Input should be a valid integer, not "7"'),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_wrong_and_what_is_right(
    arguments: dict[str, JSON], words: str
) -> None:
    assert complaint(plain, **arguments) == words


def test_a_choice_a_bound_and_a_rule_say_themselves() -> None:
    assert complaint(rich, colour="green") == "colour: Input should be 'red' or 'blue', not \"green\""
    assert complaint(rich, colour="red", limit=11) == "limit: Input should be less than or equal to 10, not 11"
    assert complaint(travel, trip={"stops": []}) == "trip.stops: Value error, a trip needs a stop, not []"
    assert complaint(travel, trip={"stops": [{"lat": 1}, {}]}) == "trip.stops.1.lat is missing"


def test_a_thousand_errors_are_reported_briefly() -> None:
    words = complaint(anything, value=0, items=["x" * 1_000] * 1_000)

    assert words.startswith('items.0: Input should be a valid integer, not "xxx')
    assert words.endswith("; and 995 more")
    assert len(words) < 1_000


@pytest.mark.parametrize("number", [10**400, -(10**400), float("nan"), float("inf")])
def test_a_number_that_python_cannot_hold_is_rejected(number: float) -> None:
    assert complaint(plain, name="x", ratio=number).startswith("ratio: Input should be a finite number, not ")


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}])
def test_half_a_character_is_rejected(value: JSON) -> None:
    assert "surrogate" in complaint(anything, value=value)


def test_a_bottomless_argument_is_rejected() -> None:
    value: JSON = []
    for _ in range(500):
        value = [value]

    assert "recursion" in complaint(anything, value=value).lower()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["name", "size", "ratio", "deep", "more"]), json_values))
def test_what_the_schema_rejects_is_rejected(arguments: dict[str, JSON]) -> None:
    signature = Signature(plain)
    fits = Draft202012Validator(signature.input_schema).is_valid(arguments)

    try:
        signature.check(arguments)
    except BadArguments:
        assert not fits
    else:
        assert fits


@pytest.mark.parametrize("function", [later, wrapped])
def test_an_async_function_is_awaited(function: Callable[..., Any]) -> None:
    assert call(function, name="x") == "later x"


def test_a_default_is_not_shared_between_calls() -> None:
    call(anything, value=1)[1].append(7)

    assert call(anything, value=1) == [1, []]
