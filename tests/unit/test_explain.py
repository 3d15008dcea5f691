"""Validation errors as short messages that a model can act upon."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from mcp_tasks.authoring.explain import explain
from mcp_tasks.authoring.wording import quoted
from mcp_tasks.limits.requests import MAX_ERRORS_LISTED, MAX_QUOTE_CHARACTERS
from mcp_tasks.tasks.model import JSON


class Line(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: int = 1


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    lines: list[Line] = []


def explained(value: JSON, known: tuple[str, ...] = ("name", "lines")) -> str:
    with pytest.raises(ValidationError) as error:
        Order.model_validate(value, strict=True)
    return explain(error.value, known=known)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "name is missing"),
        ({"name": 7}, "name: Input should be a valid string, not 7"),
        ({"name": "é", "size": 1}, "there is no size, only: name, lines"),
        ({"name": "x", "lines": [{"count": "é"}]}, 'lines.0.count: Input should be a valid integer, not "é"'),
        ({"name": "x", "lines": [{"size": 1}]}, "lines.0.size: Extra inputs are not permitted, not 1"),
        ({"name": "x", "lines": [{}, {"count": None}]}, "lines.1.count: Input should be a valid integer, not null"),
        ([], "arguments: Input should be a valid dictionary or instance of Order, not []"),
        ({"name": {1, 2}}, 'name: Input should be a valid string, not "{1, 2}"'),
    ],
)
def test_a_mistake_is_named_with_what_was_given(value: JSON, words: str) -> None:
    assert explained(value) == words


def test_where_nothing_is_known_that_is_said() -> None:
    assert explained({"name": "x", "size": 1}, known=()) == "there is no size, only: nothing"


@pytest.mark.parametrize(
    ("wrong", "more"), [(MAX_ERRORS_LISTED, ""), (MAX_ERRORS_LISTED + 1, "; and 1 more"), (30, "; and 25 more")]
)
def test_only_the_first_errors_are_listed_and_the_others_counted(wrong: int, more: str) -> None:
    message = explained({"name": "x", "lines": [{"count": "n"}] * wrong})

    assert message.count("lines.") == MAX_ERRORS_LISTED
    assert message == "; ".join(message.split("; ")[:MAX_ERRORS_LISTED]) + more


@pytest.mark.parametrize("length", [MAX_QUOTE_CHARACTERS - 2, MAX_QUOTE_CHARACTERS - 1, 1_000_000])
def test_a_long_value_is_cut_and_one_that_just_fits_is_not(length: int) -> None:
    quote = explained({"name": ["x" * (length - 2)]}).rpartition(", not ")[2]

    assert len(quote) == min(length + 2, MAX_QUOTE_CHARACTERS)
    assert quote.endswith("…") == (length + 2 > MAX_QUOTE_CHARACTERS)


@pytest.mark.parametrize("value", [{"name": "x", "y" * 1_000_000: 1}, {"name": "x", "lines": [{"y" * 1_000_000: 1}]}])
def test_a_long_name_is_cut_too(value: JSON) -> None:
    assert "yyy…" in explained(value)
    assert len(explained(value)) < 200


def test_more_mistakes_than_can_be_listed_are_only_counted() -> None:
    assert explained({"name": "x", "lines": [0] * 20_000}) == "20,000 values do not fit the schema"


def test_of_a_large_value_no_more_is_written_than_is_quoted() -> None:
    class Unwritten(dict[str, JSON]):
        def items(self) -> Any:
            yield "a", "x" * 100
            pytest.fail("written to the end")

    assert quoted(["a", Unwritten(a=1)]) == '["a", {"a": "' + "x" * 66 + "…"
