"""Which input responses are accepted when only the request is known, and the errors for all others."""

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from mcp_tasks import Elicit, ElicitUrl, Form, ListRoots, Sample, Titles
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.input_responses import check
from mcp_tasks.tasks.model import JSON, InputRequest
from tests.unit.contexts import Name, accepted, sampled
from tests.unit.fields import Side


class Booking(Form):
    name: Annotated[str, Field(min_length=1, max_length=9)]
    nights: Annotated[int, Field(ge=1, le=30)] = 2
    price: float = 9.5
    agreed: bool = False
    side: Side = Side.LEFT
    kind: Annotated[Literal["slow", "fast"], Titles({"slow": "By ship", "fast": "By air"})] = "slow"
    sides: Annotated[list[Side], Field(min_length=1, max_length=2)] = [Side.LEFT]  # noqa: RUF012
    extras: list[Annotated[Literal["a", "b"], Titles({"a": "A", "b": "B"})]] = []  # noqa: RUF012
    email: Annotated[str, Field(json_schema_extra={"format": "email"})] = "a@b"
    on: Annotated[str, Field(json_schema_extra={"format": "date"})] = "2026-01-02"
    at: Annotated[str, Field(json_schema_extra={"format": "date-time"})] = "2026-01-02T03:04:05Z"
    page: Annotated[str, Field(json_schema_extra={"format": "uri"})] = "https://example.com"


BOOK = Elicit("Book?", Booking).input_request("k")
URL_REQUEST = ElicitUrl("Sign in", "https://example.com").input_request("k")
SAMPLE = Sample("Hi", max_tokens=9).input_request("k")
ROOTS = ListRoots().input_request("k")


def complaint(input_request: InputRequest, answer: dict[str, JSON]) -> str:
    """Return the message of the error for an invalid response."""
    with pytest.raises(BadInputResponse) as bad:
        check(input_request, answer)
    assert bad.value.key == "k"
    assert str(bad.value).startswith("the answer to 'k' does not fit: ")
    return str(bad.value).removeprefix("the answer to 'k' does not fit: ")


def taken(input_request: InputRequest, answer: dict[str, JSON]) -> bool:
    """Return whether the answer is taken."""
    try:
        check(input_request, answer)
    except BadInputResponse:
        return False
    return True


@pytest.mark.parametrize(
    ("input_request", "answer"),
    [
        (BOOK, accepted(name="Ada")),
        (BOOK, accepted(name="Ada", nights=3.0, price=3, kind="fast", sides=["left", "right"], extras=["a", "b"])),
        (BOOK, accepted(name="Ada", email="ada@example.com", on="2026-01-31", at="2026-01-31T12:00:00+01:00")),
        (BOOK, accepted(name="Ada", page="urn:x", more={"deep": [None]}) | {"_meta": {}}),
        (URL_REQUEST, {"action": "accept"}),
        (URL_REQUEST, {"action": "accept", "content": 7}),
        (SAMPLE, sampled("Hello")),
        (SAMPLE, sampled("Hello") | {"content": [], "stopReason": 7}),
        (ROOTS, {"roots": []}),
        (ROOTS, {"roots": [{"uri": "file:///x", "name": "x"}, {"uri": "file:///y", "name": None}]}),
    ],
)
def test_an_answer_that_fits_is_taken(input_request: InputRequest, answer: dict[str, JSON]) -> None:
    assert taken(input_request, answer)


@pytest.mark.parametrize("input_request", [BOOK, URL_REQUEST])
@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": 7}, {"content": {"name": 7}}])
def test_a_no_is_taken_whatever_comes_with_it(
    input_request: InputRequest, action: str, content: dict[str, JSON]
) -> None:
    assert taken(input_request, {"action": action, **content})


@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": {}}])
def test_a_form_that_came_back_empty_is_one_without_fields(content: dict[str, JSON]) -> None:
    class Optional(Form):
        name: str = "nobody"

    assert complaint(BOOK, {"action": "accept", **content}) == "name is missing"
    assert taken(Elicit("?", Optional).input_request("k"), {"action": "accept", **content})
    assert taken(Elicit("?", Form).input_request("k"), {"action": "accept", **content})


@pytest.mark.parametrize("input_request", [BOOK, URL_REQUEST])
@pytest.mark.parametrize(
    ("answer", "given"), [({}, "null"), ({"action": "yes"}, '"yes"'), ({"action": ["accept"]}, '["accept"]')]
)
def test_an_action_that_nobody_knows_is_rejected(
    input_request: InputRequest, answer: dict[str, JSON], given: str
) -> None:
    assert complaint(input_request, answer) == f"action should be accept, decline or cancel, not {given}"


@pytest.mark.parametrize(("content", "given"), [([], "[]"), ("Ada", '"Ada"'), (0, "0"), (False, "false")])
def test_content_that_is_no_object_is_rejected(content: JSON, given: str) -> None:
    assert complaint(BOOK, {"action": "accept", "content": content}) == (
        f"content should be an object with the form's fields, not {given}"
    )


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"name": None}, "name should be a text, not null"),
        ({"name": ""}, 'name should be at least 1 characters long, not ""'),
        ({"name": "x" * 10}, 'name should be at most 9 characters long, not "xxxxxxxxxx"'),
        ({"nights": "3"}, 'nights should be a whole number, not "3"'),
        ({"nights": 3.5}, "nights should be a whole number, not 3.5"),
        ({"nights": True}, "nights should be a whole number, not true"),
        ({"nights": 0}, "nights should be at least 1, not 0"),
        ({"nights": 31.0}, "nights should be at most 30, not 31.0"),
        ({"nights": float("inf")}, "nights should be a whole number, not Infinity"),
        ({"price": True}, "price should be a number, not true"),
        ({"price": float("nan")}, "price should be a number, not NaN"),
        ({"price": float("-inf")}, "price should be a number, not -Infinity"),
        ({"price": 10**400}, f"price should be a number, not 1{'0' * 78}…"),
        ({"agreed": "yes"}, 'agreed should be true or false, not "yes"'),
        ({"agreed": 1}, "agreed should be true or false, not 1"),
        ({"side": "up"}, 'side should be one of "left", "right", not "up"'),
        ({"side": 7}, 'side should be one of "left", "right", not 7'),
        ({"kind": "By air"}, 'kind should be one of "slow", "fast", not "By air"'),
        ({"sides": "left"}, 'sides should be a list, not "left"'),
        ({"sides": []}, "sides should be at least 1 of the choices, not []"),
        ({"sides": ["left"] * 3}, 'sides should be at most 2 of the choices, not ["left", "left", "left"]'),
        ({"sides": ["left", "up"]}, 'sides.1 should be one of "left", "right", not "up"'),
        ({"extras": ["c"]}, 'extras.0 should be one of "a", "b", not "c"'),
        ({"email": "ada"}, 'email should be an email address, not "ada"'),
        ({"on": "tomorrow"}, 'on should be a date such as 2026-01-31, not "tomorrow"'),
        ({"on": "2026-02-30"}, 'on should be a date such as 2026-01-31, not "2026-02-30"'),
        ({"at": "noon"}, 'at should be a date and time such as 2026-01-31T12:00:00Z, not "noon"'),
        ({"at": "2026-01-02"}, 'at should be a date and time such as 2026-01-31T12:00:00Z, not "2026-01-02"'),
        ({"page": "example.com"}, 'page should be a URI, with its scheme, not "example.com"'),
        ({"page": 7}, "page should be a text, not 7"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_what_would_fit_and_what_was_given(
    field: dict[str, JSON], words: str
) -> None:
    assert complaint(BOOK, accepted(**{"name": "Ada"} | field)) == words


def test_the_user_is_shown_several_errors_at_once() -> None:
    words = complaint(BOOK, accepted(nights=0, price="x", agreed=1, side="up", kind="x", sides=[], extras=["c"]))

    assert words.split("; ")[0] == "nights should be at least 1, not 0"
    assert words.split("; ")[5:] == ["and 3 more"]


@pytest.mark.parametrize(
    "content", [{"name": "\ud800"}, {"name": "Ada", "more": ["\udfff"]}, {"name": "Ada", "\udfff": 1}]
)
def test_half_a_character_is_rejected(content: dict[str, JSON]) -> None:
    assert complaint(BOOK, accepted(**content)) == "content should be valid Unicode: it holds a lone surrogate"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"role": "system"}, 'role should be assistant or user, not "system"'),
        ({"role": None}, "role should be assistant or user, not null"),
        ({"model": 7}, "model should be the name of the model, not 7"),
        ({"content": "Hi"}, 'content should be blocks with their type, and text if it is text: "Hi"'),
        (
            {"content": [{"type": "text", "text": "x"}, {"type": "text"}]},
            'content should be blocks with their type, and text if it is text: {"type": "text"}',
        ),
    ],
)
def test_what_no_model_said_is_rejected(wrong: dict[str, JSON], words: str) -> None:
    assert complaint(SAMPLE, sampled("x") | wrong) == words


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, "roots should be a list, not null"),
        ({"roots": {"uri": "file:///x"}}, 'roots should be a list, not {"uri": "file:///x"}'),
        (
            {"roots": [{"uri": "file:///x"}, {"name": "x"}]},
            'roots.1 should be an object with a uri, and a name or none: {"name": "x"}',
        ),
    ],
)
def test_what_is_no_list_of_folders_is_rejected(answer: dict[str, JSON], words: str) -> None:
    assert complaint(ROOTS, answer) == words


MUCH = "x" * 1_000_000


@pytest.mark.parametrize(
    ("input_request", "answer"),
    [
        (BOOK, {"action": MUCH}),
        (BOOK, {"action": "accept", "content": [MUCH]}),
        (BOOK, accepted(name=MUCH)),
        (BOOK, accepted(name="Ada", side=MUCH, kind=MUCH, sides=[MUCH], extras=[MUCH], on=MUCH)),
        (BOOK, accepted(name="Ada", sides=["x"] * 10_000)),
        (SAMPLE, sampled("x") | {"content": {"type": "text", "text": [MUCH]}}),
        (SAMPLE, sampled("x") | {"model": [MUCH]}),
        (ROOTS, {"roots": [MUCH]}),
    ],
)
def test_a_long_answer_is_not_repeated_whole(input_request: InputRequest, answer: dict[str, JSON]) -> None:
    assert len(complaint(input_request, answer)) < 1_000


def test_many_choices_are_not_listed_in_full() -> None:
    schema = {"type": "object", "properties": {"field": {"type": "string", "enum": [str(n) for n in range(9_999)]}}}
    input_request = InputRequest(key="k", method="elicitation/create", params={"requestedSchema": schema})

    assert complaint(input_request, accepted(field="x")).startswith('field should be one of "0", "1", "2",')
    assert len(complaint(input_request, accepted(field="x"))) < 300


@given(
    st.dictionaries(
        st.sampled_from(["action", "content", "_meta", "roots", "role", "model"]),
        st.sampled_from(["accept", "assistant", None, {}, {"name": "Ada"}, {"type": "x"}, {"name": 7}, [], [{}], 7]),
    )
)
@pytest.mark.parametrize(
    "ask", [Elicit("Who?", Name), ElicitUrl("Go", "https://example.com"), Sample("Hi", max_tokens=9), ListRoots()]
)
def test_the_endpoint_takes_what_can_be_read_in_the_run_and_nothing_else(ask: Any, answer: dict[str, JSON]) -> None:
    try:
        ask.read("k", answer)
    except BadInputResponse:
        readable = False
    else:
        readable = True

    assert taken(ask.input_request("k"), answer) == readable
