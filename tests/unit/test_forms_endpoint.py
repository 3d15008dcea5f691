"""A form's content that the server accepts can be read by the form, and the other way round.

The endpoint validates content by the schema that clients were shown, the form by its annotations; an input request
whose response only one of them accepted would be closed with a response that the tool is never given.
"""

from collections.abc import Mapping
from datetime import UTC, date
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import HttpUrl

from mcp_tasks import Elicit, Form
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.input_responses import check
from tests.unit.fields import HINTS, Side, form

LARGEST = 10**308
"""Beyond this, a whole number is an integer for a form, but not for the server's check."""

ASKED = [pytest.param(form(hint), id=str(hint)) for hint in HINTS]

choices = st.sampled_from(["left", "right", "one", "a", "LEFT", "", 1, None])
numbers = st.integers(-LARGEST, LARGEST) | st.integers(-2, 12) | st.floats() | st.integers(-2, 12).map(float)
dates = st.dates().map(str) | st.from_regex(r"\A[0-9]{4}-[01][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-9]{2}Z?)?\Z")
times = st.datetimes(timezones=st.none() | st.just(UTC)).map(lambda time: time.isoformat())
pages = st.sampled_from(["https://example.com/a?b#c", "urn:x", "x:", "//x", "http://", "http://[::1]", "http://a b"])
texts = st.text(max_size=5) | choices | dates | times | pages | st.just("\ud800")
values = st.none() | st.booleans() | numbers | texts | st.lists(choices, max_size=3) | st.just({"left": 1})
contents = st.fixed_dictionaries({}, optional={"field": values, "more": values})


def is_accepted(form_type: type[Form], content: Mapping[str, Any]) -> bool:
    """Return whether the server accepts the content of a form."""
    try:
        check(Elicit("?", form_type).input_request("k"), {"action": "accept", "content": content})
    except BadInputResponse:
        return False
    return True


def is_read(form_type: type[Form], content: Mapping[str, Any]) -> bool:
    """Return whether the form can be read in the run."""
    try:
        form_type.filled_in(content)
    except ValueError:
        return False
    return True


def reads_more(form_type: type[Form], value: Any) -> bool:
    """Return whether a form reads a value that the endpoint rejects: a huge integer, or a timestamp for a date."""
    is_date = form_type.model_fields["field"].annotation is date
    return value == 10**400 or (is_date and isinstance(value, str) and value.lstrip("+-").isdecimal())


@given(contents)
@example({"field": "0"})
@example({"field": 3.0})
@example({"field": -0.0})
@example({"field": 1e300})
@example({"field": 10**400})
@example({"field": float("inf")})
@example({"field": "2026-02-30"})
@example({"field": "2026-01-02T03:04"})
@example({"field": "1700000000"})
@example({"field": ["left", "right", "left"]})
@example({"field": None})
@pytest.mark.parametrize("form_type", ASKED)
def test_the_endpoint_and_the_form_are_of_one_mind(form_type: type[Form], content: Mapping[str, Any]) -> None:
    accepted_by_server, read = is_accepted(form_type, content), is_read(form_type, content)

    assert read or not accepted_by_server
    assert accepted_by_server == read or reads_more(form_type, content.get("field"))


def test_a_field_with_a_default_may_be_left_out_at_the_endpoint_as_in_the_run() -> None:
    form_type = form(Side, Side.LEFT)

    assert is_accepted(form_type, {})
    assert is_read(form_type, {})


def test_a_rule_that_the_schema_does_not_show_is_for_the_run_to_find() -> None:
    form_type = form(HttpUrl)

    assert is_accepted(form_type, {"field": "ftp://example.com"})
    assert not is_read(form_type, {"field": "ftp://example.com"})
