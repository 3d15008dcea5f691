"""Readers of a client's params: each field is returned, or rejected by name with what it should be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.limits.requests import MAX_NAME_CHARACTERS, MAX_QUOTE_CHARACTERS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.fields import (
    Reader,
    duration,
    list_of,
    mapping,
    name,
    one_of,
    optional,
    request_id,
    required,
    text,
    texts,
)
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError

LONG = "x" * (MAX_NAME_CHARACTERS + 1)
COLOUR = one_of(("red", "blue"))


def rejection(read: Reader[Any], value: JSON, *, within: str = "") -> str:
    """Return the message with which a value is rejected."""
    with pytest.raises(RpcError) as error:
        optional({"it": value}, "it", read, within=within)
    assert error.value.code == INVALID_PARAMS
    return error.value.message


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (text, ""),
        (text, "x" * 100_000),
        (name, ""),
        (name, "x" * MAX_NAME_CHARACTERS),
        (mapping, {}),
        (mapping, {"a": [1]}),
        (texts, {}),
        (texts, {"a": "b"}),
        (list_of(name), []),
        (list_of(name), ["a", ""]),
        (list_of(mapping), [{}]),
        (COLOUR, "red"),
        (request_id, "a"),
        (request_id, ""),
        (request_id, 0),
        (request_id, -7),
        (duration, 0),
        (duration, 1.5),
        (duration, 10**15),
    ],
)
def test_what_fits_is_taken_as_it_is(read: Reader[Any], value: JSON) -> None:
    assert optional({"it": value}, "it", read) == required({"it": value}, "it", read) == value


@pytest.mark.parametrize(
    ("read", "value", "words"),
    [
        (text, 7, "a string, not 7"),
        (text, ["a"], 'a string, not ["a"]'),
        (text, False, "a string, not false"),
        (name, 7, f"a string of at most {MAX_NAME_CHARACTERS} characters, not 7"),
        (name, {}, f"a string of at most {MAX_NAME_CHARACTERS} characters, not {{}}"),
        (mapping, [], "an object, not []"),
        (mapping, "{}", 'an object, not "{}"'),
        (mapping, 0, "an object, not 0"),
        (texts, [], "an object of strings, not []"),
        (texts, {"a": 1}, 'an object of strings, not {"a": 1}'),
        (texts, {"a": None}, 'an object of strings, not {"a": null}'),
        (list_of(name), "ab", 'a list, not "ab"'),
        (list_of(name), {}, "a list, not {}"),
        (list_of(name), ["a", 7], f'a string of at most {MAX_NAME_CHARACTERS} characters, not ["a", 7]'),
        (list_of(name), [None], f"a string of at most {MAX_NAME_CHARACTERS} characters, not [null]"),
        (COLOUR, "green", 'one of red, blue, not "green"'),
        (COLOUR, "RED", 'one of red, blue, not "RED"'),
        (COLOUR, ["red"], 'one of red, blue, not ["red"]'),
        (COLOUR, {}, "one of red, blue, not {}"),
        (COLOUR, 0, "one of red, blue, not 0"),
        (request_id, True, f"an integer or a string of at most {MAX_NAME_CHARACTERS} characters, not true"),
        (request_id, 1.5, f"an integer or a string of at most {MAX_NAME_CHARACTERS} characters, not 1.5"),
        (request_id, {}, f"an integer or a string of at most {MAX_NAME_CHARACTERS} characters, not {{}}"),
        (duration, "1", 'a number of milliseconds, not "1"'),
        (duration, True, "a number of milliseconds, not true"),
        (duration, -1, "a number of milliseconds that is not negative, not -1"),
        (duration, -0.5, "a number of milliseconds that is not negative, not -0.5"),
    ],
)
def test_what_does_not_fit_is_rejected_with_what_it_should_be(read: Reader[Any], value: JSON, words: str) -> None:
    assert rejection(read, value) == f"Invalid params: it should be {words}."


def test_a_field_is_named_by_its_place() -> None:
    assert rejection(text, 7, within="_meta.") == "Invalid params: _meta.it should be a string, not 7."


@pytest.mark.parametrize("value", [{}, {"it": None}, {"IT": "x"}, {"other": "x"}])
def test_what_is_null_is_as_good_as_absent(value: dict[str, JSON]) -> None:
    assert optional(value, "it", text) is None
    with pytest.raises(RpcError) as error:
        required(value, "it", text)
    assert (error.value.code, error.value.message) == (INVALID_PARAMS, "Invalid params: it is missing.")
    with pytest.raises(RpcError, match=r"^Invalid params: ref\.it is missing\.$"):
        required(value, "it", text, within="ref.")


@pytest.mark.parametrize("empty", ["", 0, {}, [], False])
def test_what_is_empty_is_there_all_the_same(empty: JSON) -> None:
    assert required({"it": empty}, "it", lambda value: value) == empty


@pytest.mark.parametrize("read", [name, request_id])
def test_a_name_has_a_length(read: Reader[Any]) -> None:
    assert "at most" in rejection(read, LONG)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert optional({"it": 7.0}, "it", request_id) == 7
    assert isinstance(optional({"it": 7.0}, "it", request_id), int)


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), -(10**400)])
def test_a_number_without_an_end_is_no_length_of_time(value: float) -> None:
    with pytest.raises(ValueError, match="a number of milliseconds that is not negative"):
        duration(value)


@pytest.mark.parametrize(
    ("length", "quoted"),
    [(MAX_QUOTE_CHARACTERS - 2, MAX_QUOTE_CHARACTERS), (MAX_QUOTE_CHARACTERS - 1, MAX_QUOTE_CHARACTERS)],
)
def test_a_long_value_is_not_repeated_whole(length: int, quoted: int) -> None:
    quote = (
        rejection(mapping, "é" * length).removeprefix("Invalid params: it should be an object, not ").removesuffix(".")
    )

    assert len(quote) == quoted
    assert quote.endswith("…") == (length + 2 > MAX_QUOTE_CHARACTERS)


EXACT = st.integers(-(2**53), 2**53)
"""Larger ones are rounded where they are read as floats, as all are by clients in JavaScript."""

json_values = st.recursive(
    st.none() | st.booleans() | EXACT | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(json_values)
@pytest.mark.parametrize("read", [text, name, mapping, texts, list_of(text), COLOUR, request_id, duration])
def test_whatever_is_sent_is_taken_or_rejected(read: Reader[Any], value: JSON) -> None:
    try:
        taken = optional({"it": value}, "it", read)
    except RpcError as error:
        rejected = error.message
        taken = value
    else:
        rejected = ""

    assert taken == value
    assert rejected == "" or (rejected.startswith("Invalid params: it should be ") and len(rejected) < 250)
