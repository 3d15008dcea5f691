"""Whatever a run sends that does not fit the table of messages is refused in a sentence, and changes nothing."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from mcp_tasks.run_host.messages import EXCHANGES
from mcp_tasks.tasks.model import JSON
from tests.isolation.complete import (
    COMPLETE,
    CUT,
    FREE,
    KINDS,
    NULLABLE,
    OPTIONAL,
    at,
    is_free,
    places,
    replaced,
    without,
)
from tests.unit.test_run_host import Stranger

SENTENCE = re.compile(r"[a-z_]\w*(\.\w+)* (should be .+, and is .+|should be fewer, .+|is missing: it should be .+)")
DEEP: JSON = []
for _ in range(300):
    DEEP = [DEEP]


def sent(name: str, message: Mapping[str, JSON], stranger: Stranger) -> Any:
    does = name.partition(" ")[0]
    return stranger.send_with(stranger.start if does == "load" else stranger.run, does, **message)


def refusal(name: str, message: Mapping[str, JSON]) -> str | None:
    """Return why a message is refused, None if it is not; what is refused changes nothing."""
    stranger = Stranger()
    before = stranger.made.current()
    answer = sent(name, message, stranger)
    if "refused" not in answer:
        return None
    assert answer.keys() == {"refused"}
    assert stranger.made.current() == before
    assert stranger.send("count_steps") == {"steps": 0}
    assert SENTENCE.fullmatch(answer["refused"]), answer
    assert len(answer["refused"]) < 500
    assert "SECRET" not in answer["refused"]
    return str(answer["refused"])


def kind_of(value: JSON) -> str:
    kinds = {bool: "boolean", int: "number", float: "number", str: "text", list: "list", dict: "object"}
    return "null" if value is None else kinds[type(value)]


def accepted(name: str, changed: Callable[[JSON, tuple[str, ...]], JSON]) -> set[str]:
    """Return the places of a message at which it may be changed like this."""
    usual = COMPLETE[name]
    found = {".".join(place): refusal(name, changed(usual, place)) for place in places(usual)}
    return {place for place, why in found.items() if why is None}


def test_the_table_of_messages_has_an_example_of_each() -> None:
    assert {name.partition(" ")[0] for name in COMPLETE} == EXCHANGES.keys()


@pytest.mark.parametrize("name", COMPLETE)
def test_a_message_with_every_field_is_not_refused(name: str) -> None:
    assert refusal(name, COMPLETE[name]) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name, message in COMPLETE.items() if message])
def test_a_value_of_another_kind_is_refused_at_every_place_that_does_not_take_it(name: str, kind: str) -> None:
    usual = COMPLETE[name]
    own = {".".join(place) for place in places(usual) if kind_of(at(usual, place)) == kind}

    taken = accepted(name, lambda message, place: replaced(message, place, KINDS[kind]))

    others: frozenset[str] = {"null": NULLABLE, "long text": CUT}.get(kind, frozenset())
    assert {each for each in taken - own if not is_free(each)} == {
        ".".join(place) for place in places(usual) if ".".join(place) in others
    }


def test_one_of_several_texts_is_refused_where_it_is_none_of_them() -> None:
    texts = {
        f"{name}: {'.'.join(place)}"
        for name, message in COMPLETE.items()
        for place in places(message)
        if kind_of(at(message, place)) == "text" and refusal(name, replaced(message, place, "SECRET")) is not None
    }

    asked = "request_input: input_requests"
    assert texts == {
        *("expected: at", "sleep: wakes_at"),
        *(f"{asked}.{number}.method" for number in range(4)),
        *(f"{asked}.{number}.params.mode" for number in range(2)),
        f"{asked}.1.params.url",
        *(f"{asked}.2.params.messages.{number}.role" for number in range(2)),
        *(f"{asked}.0.approval.{of}.kind" for of in ("of", "escalate.of")),
        f"{asked}.0.params.requestedSchema.type",
        f"{asked}.0.params.requestedSchema.required.0",
        *(f"{asked}.0.params.requestedSchema.properties.{name}.type" for name in ("sum", "why", "how", "who", "old")),
        *(f"{asked}.0.params.requestedSchema.properties.{name}" for name in ("why.format", "who.items.type")),
    }


@pytest.mark.parametrize("name", [name for name, message in COMPLETE.items() if message])
def test_a_field_is_missed_unless_it_is_optional(name: str) -> None:
    usual = COMPLETE[name]
    fields = [place for place in places(usual) if isinstance(at(usual, place[:-1]), dict)]

    taken = {".".join(place) for place in fields if refusal(name, without(usual, place)) is None}

    may_be_absent = {".".join(place) for place in fields if ".".join(place) in OPTIONAL}
    assert {place for place in taken if not is_free(place)} == {each for each in may_be_absent if not is_free(each)}


@pytest.mark.parametrize("name", COMPLETE)
def test_an_additional_field_is_refused_or_kept_nowhere(name: str) -> None:
    usual = COMPLETE[name]
    objects = [(), *(place for place in places(usual) if isinstance(at(usual, place), dict))]
    for place in objects:
        message = replaced(usual, place, {**at(usual, place), "SECRET": "SECRET"})
        if refusal(name, message) is not None or _takes_any_field(".".join(place)):
            continue
        stranger = Stranger()
        sent(name, message, stranger)
        assert "SECRET" not in repr(stranger.made.current())


def _takes_any_field(place: str) -> bool:
    return is_free(place) or any(each.rpartition(".")[0] == place for each in FREE)


ADDITIONAL: Mapping[str, tuple[str, Sequence[JSON]]] = {
    "includeContext": ("2.params", ["none", "thisServer", "allServers"]),
    "modelPreferences": ("2.params", [{}, {"hints": [{"name": "a"}], "costPriority": 1}]),
    "metadata": ("2.params", [{}]),
    "_meta": ("0.params", [{}]),
    "_meta of a message": ("2.params.messages.0", [{}]),
    "_meta of roots": ("3.params", [{}, {"progressToken": 1}]),
    "task": ("1.params", [{}, {"ttl": 1}]),
    "$schema": ("0.params.requestedSchema", ["https://json-schema.org/draft/2020-12/schema"]),
    "$ref": ("0.params.requestedSchema", ["#"]),
    "pattern": ("0.params.requestedSchema.properties.why", ["a"]),
    "cursor": ("3.params", ["x"]),
}
"""Fields beyond those that tools send: the name and a word about it, the object that it is in, and legal values."""


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [(name.partition(" ")[0], place, value) for name, (place, values) in ADDITIONAL.items() for value in values],
)
def test_a_field_that_no_tool_sends_to_clients_is_refused_whatever_its_value(
    field: str, place: str, value: JSON
) -> None:
    usual, way = COMPLETE["request_input"], ["input_requests", *place.split(".")]

    why = refusal("request_input", replaced(usual, way, {**at(usual, way), field: value}))

    assert why is not None
    assert why.startswith("input_requests.")


@pytest.mark.parametrize(
    "does", [None, 7, "", "cancel", "_host", "__class__", "answer", ["check"], {"a": 1}, "x" * 5_000_000]
)
def test_a_message_that_no_run_sends_is_refused_with_those_that_runs_send(does: JSON) -> None:
    answer = Stranger().send(does)

    assert answer["refused"].startswith("does should be one of load, renew, check, progressed, ")
    assert len(answer["refused"]) < 300


@pytest.mark.parametrize("message", [None, 7, "check", [], ["check"]])
def test_what_is_no_object_is_refused(message: Any) -> None:
    stranger = Stranger()

    assert stranger.made.runner.runner.send(message)["refused"].startswith("a message should be an object, and is ")


@pytest.mark.parametrize("kind", ["roots/list", "sampling/createMessage", "elicitation/create"])
@pytest.mark.parametrize(
    "params",
    [
        {"requestedSchema": {"$ref": "#"}},
        {"requestedSchema": COMPLETE["request_input"]["input_requests"][0]["params"]["requestedSchema"]},
        {"mode": "form", "message": "Which?"},
        {"mode": "url", "message": "Go.", "url": "https://a.example"},
        {"messages": [], "maxTokens": 1, "requestedSchema": {}},
        {},
    ],
    ids=["$ref", "no message", "no form", "a URL", "sampling with a form", "nothing"],
)
def test_an_approval_hangs_on_a_form_alone(kind: str, params: JSON) -> None:
    approval = COMPLETE["request_input"]["input_requests"][0]["approval"]
    asked = [{"key": "k", "method": kind, "params": params, "approval": approval}]

    assert refusal("request_input", {"input_requests": asked}) is not None


@pytest.mark.parametrize("remind", [0, 1, 59, 1e-9])
def test_an_approval_of_which_people_would_be_told_without_end_is_refused(remind: float) -> None:
    usual = COMPLETE["request_input"]

    why = refusal("request_input", replaced(usual, ["input_requests", "0", "approval", "remind"], remind))

    assert why is not None
    assert why.startswith("input_requests.0.approval should be an approval: ")


@pytest.mark.parametrize(
    "url",
    [
        *("javascript:alert(1)", "file:///etc/passwd", "https://", "//a.example", "", "data:,x"),
        *("javascript://a.example/%0aalert(1)", "file://a.example/x", "ftp://a.example", "httpx://a.example"),
    ],
)
def test_a_url_that_no_browser_should_open_is_refused(url: str) -> None:
    usual = COMPLETE["request_input"]

    why = refusal("request_input", replaced(usual, ["input_requests", "1", "params", "url"], url))

    assert why == (
        "input_requests.1.params.url should be an address with http or https and a host, "
        f"and is a text of {len(url)} characters"
    )


@pytest.mark.parametrize(("does", "field"), [("expected", "at"), ("sleep", "wakes_at")])
@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-01-01T12:30:00", "soon", ""]
)
def test_a_time_that_is_none_in_utc_is_refused(does: str, field: str, time: str) -> None:
    assert refusal(does, {field: time}) == (
        f"{field} should be a time with its offset from UTC, such as 2026-01-31T12:00:00+00:00, "
        f"and is a text of {len(time)} characters"
    )


@pytest.mark.parametrize("name", ["record", "finish", "request_input", "progressed"])
def test_what_is_nested_deeply_breaks_nothing(name: str) -> None:
    for place in places(COMPLETE[name]):
        refusal(name, replaced(COMPLETE[name], place, DEEP))
