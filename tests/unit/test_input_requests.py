"""Elicitations, URL elicitations and roots: the requests, and how their responses are read."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import (
    Accepted,
    Cancelled,
    Declined,
    Elicit,
    ElicitUrl,
    Form,
    ListRoots,
    Root,
    Sample,
    UrlElicitationRequired,
)
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.input_requests import Ask
from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire.capabilities import REQUIRED, capability_needed
from tests.unit.contexts import Name, accepted

FORM = Elicit("Who are you?", Name)
URL_REQUEST = ElicitUrl("Sign in", "https://example.com/in?for=ada")


class Maybe(Form):
    name: str = "nobody"


def test_a_form_is_asked_in_the_protocols_words() -> None:
    assert FORM.input_request("who") == InputRequest(
        key="who",
        method="elicitation/create",
        params={
            "mode": "form",
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "title": "Name"}},
                "required": ["name"],
            },
        },
    )


def test_a_url_request_is_asked_in_the_protocols_words() -> None:
    assert URL_REQUEST.input_request("in") == InputRequest(
        key="in",
        method="elicitation/create",
        params={"mode": "url", "message": "Sign in", "url": "https://example.com/in?for=ada"},
    )


def test_folders_are_asked_for_in_the_protocols_words() -> None:
    assert ListRoots().input_request("where") == InputRequest(key="where", method="roots/list", params={})


WEEK = timedelta(weeks=1)


@pytest.mark.parametrize("timeout", [None, timedelta(microseconds=1), WEEK])
def test_an_input_request_says_how_long_to_wait_for_its_answer(timeout: timedelta | None) -> None:
    requests: list[Ask[Any]] = [
        Elicit("Who?", Name, timeout=timeout),
        ElicitUrl("Sign in", "https://example.com", timeout=timeout),
        ListRoots(timeout=timeout),
        Sample("Hi", max_tokens=9, timeout=timeout),
    ]

    assert [ask.input_request("k").timeout for ask in requests] == [timeout] * 4
    assert not any("timeout" in ask.input_request("k").params for ask in requests)


@pytest.mark.parametrize(
    ("timeout", "says"),
    [
        (timedelta(0), "a timeout is positive"),
        (-WEEK, "a timeout is positive"),
        (timedelta.max, "an input request: timeout can be 36,500 days at most, not 999999999 days"),
        (60, r"an input request: timeout is a timedelta, such as timedelta\(seconds=10\), not 60"),
    ],
)
@pytest.mark.parametrize(
    "ask",
    [
        lambda **more: Elicit("Who?", Name, **more),
        lambda **more: ElicitUrl("Sign in", "https://example.com", **more),
        lambda **more: ListRoots(**more),
        lambda **more: Sample("Hi", max_tokens=9, **more),
    ],
)
def test_a_time_in_which_nobody_could_answer_is_rejected(ask: Any, timeout: object, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        ask(timeout=timeout)


@pytest.mark.parametrize("ask", [FORM, URL_REQUEST, ListRoots()])
def test_an_input_request_needs_what_the_endpoint_thinks_it_needs(ask: Any) -> None:
    assert ask.needs == capability_needed(ask.input_request("k"))
    assert ask.needs in REQUIRED


def test_a_filled_in_form_is_accepted() -> None:
    assert FORM.read("k", accepted(name="Ada")) == Accepted(Name(name="Ada"))


def test_a_url_request_is_accepted_without_anything() -> None:
    assert URL_REQUEST.read("k", {"action": "accept"}) == Accepted(None)
    assert URL_REQUEST.read("k", {"action": "accept", "content": {"token": "secret"}}) == Accepted(None)


@pytest.mark.parametrize("ask", [FORM, URL_REQUEST])
@pytest.mark.parametrize("content", [{}, {"content": {"name": "Ada"}}, {"content": None}, {"content": 7}])
def test_a_no_is_a_no_whatever_comes_with_it(ask: Any, content: dict[str, JSON]) -> None:
    assert ask.read("k", {"action": "decline", **content}) == Declined()
    assert ask.read("k", {"action": "cancel", **content}) == Cancelled()


@pytest.mark.parametrize("ask", [FORM, URL_REQUEST])
@pytest.mark.parametrize("action", [None, "", "ACCEPT", "accepted", "yes", True, 1, ["accept"], {"accept": 1}])
def test_an_action_that_nobody_knows_is_no_answer(ask: Any, action: JSON) -> None:
    with pytest.raises(
        BadInputResponse, match=r"^the answer to 'k' does not fit: action should be accept, decline or cancel"
    ):
        ask.read("k", {"action": action, "content": {"name": "Ada"}})
    with pytest.raises(BadInputResponse, match="action should be accept, decline or cancel, not null"):
        ask.read("k", {"content": {"name": "Ada"}})


@pytest.mark.parametrize("content", ["Ada", "", 7, 0, True, False, [], ["Ada"], [{"name": "Ada"}]])
def test_content_that_is_no_object_is_no_form(content: JSON) -> None:
    with pytest.raises(BadInputResponse, match="content should be an object with the form's fields, not "):
        FORM.read("k", {"action": "accept", "content": content})


@pytest.mark.parametrize("answer", [{"action": "accept"}, {"action": "accept", "content": None}, accepted()])
def test_a_form_that_came_back_empty_is_as_good_as_its_defaults(answer: dict[str, JSON]) -> None:
    assert Elicit("Who?", Maybe).read("k", answer) == Accepted(Maybe(name="nobody"))
    with pytest.raises(BadInputResponse, match="the answer to 'k' does not fit: name is missing"):
        FORM.read("k", answer)


def test_a_field_that_does_not_fit_is_named_and_so_is_the_input_request() -> None:
    with pytest.raises(
        BadInputResponse, match="the answer to 'who' does not fit: name: Input should be a valid string"
    ) as bad:
        FORM.read("who", accepted(name=7))
    assert bad.value.key == "who"


@given(
    st.dictionaries(
        st.sampled_from(["action", "content", "_meta", "roots", "model"]),
        st.sampled_from(["accept", "decline", None, {}, {"name": "Ada"}, {"name": 7}, [], [{}], 7, True]),
    )
)
@pytest.mark.parametrize("ask", [FORM, URL_REQUEST, ListRoots()])
def test_whatever_a_client_answers_is_read_or_rejected(ask: Any, answer: dict[str, JSON]) -> None:
    try:
        found = ask.read("k", answer)
    except BadInputResponse:
        return

    assert isinstance(found, Accepted | Declined | Cancelled | list)


@pytest.mark.parametrize("url", ["https://example.com", "HTTP://localhost:3000/x", "https://user@host/p?q#f"])
def test_a_url_is_where_somebody_can_be_sent(url: str) -> None:
    assert ElicitUrl("Go", url).input_request("k").params["url"] == url


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.com", "/in", "//example.com", "https:", "https://", "https:///x", "https://:80", "http://["),
        *(
            "javascript:alert(1)",
            "javascript://host/%0aalert(1)",
            "file:///etc/passwd",
            "file://host/x",
            "ftp://host/x",
        ),
        *("data:text/html,x", "mailto:ada@example.com", "myapp://open"),
    ],
)
def test_what_nobody_could_open_is_rejected_before_anybody_is_asked(url: str) -> None:
    with pytest.raises(ValueError, match=r"an elicitation needs a URL|Invalid IPv6 URL"):
        ElicitUrl("Go", url)


def test_folders_come_with_their_names_if_they_have_any() -> None:
    roots = [{"uri": "file:///home", "name": "Home"}, {"uri": "file:///tmp"}, {"uri": "file:///x", "name": None}]

    assert ListRoots().read("k", {"roots": roots, "_meta": {}}) == [
        Root("file:///home", "Home"),
        Root("file:///tmp"),
        Root("file:///x"),
    ]


def test_no_folders_are_no_folders() -> None:
    assert ListRoots().read("k", {"roots": []}) == []


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"roots": None},
        {"roots": {}},
        {"roots": {"uri": "file:///x"}},
        {"roots": "file:///x"},
        {"roots": ["file:///x"]},
        {"roots": [{}]},
        {"roots": [{"name": "x"}]},
        {"roots": [{"uri": None}]},
        {"roots": [{"uri": 7}]},
        {"roots": [{"uri": "file:///x", "name": 7}]},
        {"roots": [{"uri": "file:///x"}, None]},
    ],
)
def test_what_is_no_list_of_folders_is_no_answer(answer: dict[str, JSON]) -> None:
    with pytest.raises(BadInputResponse, match=r"^the answer to 'k' does not fit: roots(\.\d)? should be "):
        ListRoots().read("k", answer)


@pytest.mark.parametrize("elicitation_id", ["", "x" * 257, "half \ud800"])
def test_an_elicitation_has_an_id_that_can_be_sent(elicitation_id: str) -> None:
    with pytest.raises(ValueError, match="1 to 256 characters of valid Unicode"):
        ElicitUrl("Go", "https://example.com", elicitation_id=elicitation_id)


def test_an_error_that_demands_url_elicitation_says_where_to() -> None:
    with pytest.raises(ValueError, match="name the URLs"):
        UrlElicitationRequired("Sign in.")
