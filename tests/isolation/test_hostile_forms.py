"""A form that hostile code makes up is refused before the endpoint checks a response against it."""

import json
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.form_fields import KEYWORDS
from mcp_tasks.authoring.form_validation import validation_error
from mcp_tasks.authoring.input_responses import check
from mcp_tasks.run_host.reading import INPUT_REQUESTS
from mcp_tasks.run_host.shapes import Unfit
from mcp_tasks.tasks.model import JSON
from tests.unit.fields import HINTS, form

PATTERN = {"pattern": "(a+)+$"}
TITLED = [{"const": "a", "title": "A", **PATTERN}]
ADDRESS = "http://169.254.169.254/latest/meta-data"


def asking(**params: JSON) -> list[JSON]:
    return [{"key": "k", "method": "elicitation/create", "params": {"mode": "form", "message": "Which?", **params}}]


def with_field(field: JSON, **more: JSON) -> list[JSON]:
    return asking(requestedSchema={"type": "object", "properties": {"field": field}, **more})


HOSTILE: dict[str, list[JSON]] = {
    "an address that only the endpoint reaches": with_field({"$ref": ADDRESS}),
    "a file of the endpoint": with_field({"type": "string", "$ref": "file:///proc/self/environ"}),
    "a reference to itself": asking(requestedSchema={"$ref": "#"}),
    "a reference beside the fields": with_field({"type": "string"}, **{"$ref": ADDRESS}),
    "another dialect": with_field({"type": "string"}, **{"$schema": ADDRESS}),
    "a dynamic reference": with_field({"type": "string", "$dynamicRef": "#a"}),
    "a regular expression": with_field({"type": "string", "pattern": "(a+)+$"}),
    "a regular expression for names": with_field({"type": "string"}, patternProperties={"(a+)+$": {}}),
    "items compared with each other": with_field({"type": "array", "uniqueItems": True, "items": {}}),
    "fields within a field": with_field({"type": "object", "properties": {}}),
    "all of these": with_field({"type": "string", "allOf": [{"pattern": "(a+)+$"}]}),
    "choices that are schemas": with_field({"type": "string", "oneOf": [{"$ref": ADDRESS}]}),
    "choices in a list that are schemas": with_field({"type": "array", "items": {"anyOf": [{"$ref": ADDRESS}]}}),
    "a choice with a regular expression": with_field({"type": "string", "oneOf": TITLED}),
    "a choice in a list with a regular expression": with_field({"type": "array", "items": {"anyOf": TITLED}}),
    "choices in a list with a regular expression": with_field(
        {"type": "array", "items": {"type": "string", "enum": ["a"], **PATTERN}}
    ),
    "a bound that is none": with_field({"type": "number", "minimum": "1"}),
    "a bound that is infinite": with_field({"type": "number", "maximum": float("inf")}),
    "a length that is none": with_field({"type": "string", "minLength": [1]}),
    "a length below zero": with_field({"type": "string", "maxLength": -1}),
    "a type that is several": with_field({"type": ["string", "object"]}),
    "choices that are no texts": with_field({"type": "string", "enum": [1, {}]}),
    "choices that are no list": with_field({"type": "string", "oneOf": 5}),
    "a field that is none": with_field(True),
    "a title that is none": with_field({"type": "string", "title": {}}),
    "fields that are missing": with_field({"type": "string"}, required=["other"]),
    "names that are none": with_field({"type": "string"}, required=[{}]),
    "no form": asking(),
    "a form that is none": asking(requestedSchema=True),
    "a URL that is none": asking(mode="url", url=5),
    "a message that is none": asking(message={}, requestedSchema={"type": "object", "properties": {}}),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_form_is_refused(hostile: str) -> None:
    with pytest.raises(Unfit, match=r"^input_requests(\.0\.params.*)? should be "):
        INPUT_REQUESTS.at("input_requests", HOSTILE[hostile])


@pytest.mark.parametrize("hint", HINTS, ids=str)
def test_every_form_that_can_be_declared_is_accepted(hint: Any) -> None:
    schema = json.loads(json.dumps(form(hint).requested_schema()))

    assert INPUT_REQUESTS.read(asking(requestedSchema=schema))[0].params["requestedSchema"] == schema


NUMBERS = st.integers(-5, 5) | st.floats(-5, 5)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "string", "array", ADDRESS, "a@b", "2026-01-31"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "enum", "const"]), inner),
    max_leaves=6,
)
OFTEN: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(sorted(KEYWORDS)),
    "enum": st.lists(st.text(max_size=3), max_size=3),
    "items": st.fixed_dictionaries({"type": st.just("string"), "enum": st.lists(st.text(max_size=3), max_size=3)}),
    "oneOf": st.lists(st.fixed_dictionaries({"const": st.text(max_size=3), "title": st.text(max_size=3)}), max_size=3),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"), NUMBERS),
    "format": st.sampled_from(["email", "uri", "date", "date-time", "regex"]),
    "$ref": st.sampled_from(["#", ADDRESS]),
}
FIELDS = st.fixed_dictionaries(
    {"type": OFTEN["type"]}, optional={name: OFTEN[name] | VALUES for name in OFTEN if name != "type"}
)


@given(FIELDS, VALUES)
def test_whatever_is_accepted_can_be_checked_against(field: JSON, value: JSON) -> None:
    try:
        (input_request,) = INPUT_REQUESTS.read(with_field(field))
    except Unfit:
        return

    with suppress(BadInputResponse):
        check(input_request, {"action": "accept", "content": {"field": value}})


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/secret", asked
        http.shutdown()


def test_a_form_that_was_stored_before_makes_the_endpoint_fetch_nothing(server: tuple[str, list[str]]) -> None:
    address, asked = server

    with pytest.raises(Exception, match="Unresolvable"):
        validation_error({"type": "object", "properties": {"field": {"$ref": address}}}, {"field": "x"})

    assert asked == []
