"""The journal of a run within a request: its notifications, in order."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from mcp_tasks import Context
from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.authoring.text import LEVELS, Level
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.limits.tools import MAX_NOTIFICATIONS
from mcp_tasks.tasks.model import JSON, InputResponse
from mcp_tasks.wire import notifications
from mcp_tasks.wire.sse import Event
from tests.kit import ADA
from tests.unit.contexts import input_request

ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


def reported(journal: InlineJournal) -> list[tuple[str, Mapping[str, JSON]]]:
    """Return the notifications as a client reads them."""
    lines = [
        str(Event(message=message)) for message in notifications.messages(journal.reported, journal.progress_token)
    ]
    messages = [json.loads(line.removeprefix("data: "), parse_constant=_reject) for line in lines]
    assert all(message["jsonrpc"] == "2.0" and "id" not in message for message in messages)
    return [(message["method"], message["params"]) for message in messages]


def _reject(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def context(journal: InlineJournal) -> Context:
    return Context(caller=ADA, journal=journal)


@pytest.mark.parametrize("token", ["t", "", 7, 0])
def test_progress_is_sent_with_the_clients_token(token: str | int) -> None:
    journal = InlineJournal(progress_token=token)
    context(journal).report_progress(1)
    context(journal).report_progress(2.5, 5, "half way")

    assert reported(journal) == [
        ("notifications/progress", {"progressToken": token, "progress": 1}),
        ("notifications/progress", {"progressToken": token, "progress": 2.5, "total": 5, "message": "half way"}),
    ]


def test_progress_only_ever_rises() -> None:
    journal = InlineJournal(progress_token="t")
    for progress in (0, 0, -1, 2, 1, 2, 2.1):
        context(journal).report_progress(progress)

    assert [params["progress"] for _, params in reported(journal)] == [0, 2, 2.1]


def test_progress_begins_wherever_it_begins() -> None:
    journal = InlineJournal(progress_token="t")
    context(journal).report_progress(-7)

    assert [params["progress"] for _, params in reported(journal)] == [-7]


def test_a_request_without_a_progress_token_is_sent_no_progress() -> None:
    journal = InlineJournal(threshold="debug")
    context(journal).report_progress(1)

    assert reported(journal) == []


def test_a_log_message_says_how_urgent_it_is_and_who_wrote_it() -> None:
    journal = InlineJournal(threshold="debug")
    context(journal).log("warning", {"left": 3}, logger="disk")
    context(journal).log("info", None)

    assert reported(journal) == [
        ("notifications/message", {"level": "warning", "data": {"left": 3}, "logger": "disk"}),
        ("notifications/message", {"level": "info", "data": None}),
    ]


@pytest.mark.parametrize("threshold", LEVELS)
def test_only_messages_of_the_level_are_sent(threshold: Level) -> None:
    journal = InlineJournal(threshold=threshold)
    for level in LEVELS:
        context(journal).log(level, "x")

    assert [params["level"] for _, params in reported(journal)] == list(LEVELS[LEVELS.index(threshold) :])


def test_the_levels_are_those_of_syslog_the_least_urgent_first() -> None:
    assert get_args(Level) == LEVELS
    assert LEVELS == ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def test_whoever_asked_for_no_log_reads_none() -> None:
    journal = InlineJournal(progress_token="t")
    context(journal).log("emergency", "x")

    assert reported(journal) == []


@pytest.mark.parametrize(
    ("data", "written"),
    [
        ("é\u2028\n", "é\u2028\n"),
        ({"deep": [1, None, True]}, {"deep": [1, None, True]}),
        ((1, 2), [1, 2]),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02 00:00:00+00:00"),
        ({"loss": float("nan"), "most": float("inf")}, {"loss": "NaN", "most": "Infinity"}),
        ({"error": LookupError("x")}, {"error": "x"}),
        (b"x", "b'x'"),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (ENDLESS, "[[...]]"),
    ],
)
def test_whatever_is_logged_can_be_read(data: Any, written: JSON) -> None:
    journal = InlineJournal(threshold="debug")
    context(journal).log("info", data)

    assert [params["data"] for _, params in reported(journal)] == [written]


def test_what_was_logged_cannot_be_changed_afterwards() -> None:
    journal, data = InlineJournal(threshold="debug"), {"n": 1}
    context(journal).log("info", data)
    data["n"] = 2

    assert [params["data"] for _, params in reported(journal)] == [{"n": 1}]


def test_changes_are_reported_in_order() -> None:
    journal = InlineJournal(progress_token="t", threshold="debug")
    context(journal).log("info", "first")
    context(journal).report_progress(1)
    context(journal).log("info", "last")

    assert [method for method, _ in reported(journal)] == [
        "notifications/message",
        "notifications/progress",
        "notifications/message",
    ]


def test_of_many_notifications_only_the_last_are_sent() -> None:
    journal = InlineJournal(progress_token="t", threshold="debug")
    for number in range(MAX_NOTIFICATIONS + 5):
        context(journal).log("info", number)

    assert [params["data"] for _, params in reported(journal)] == list(range(5, MAX_NOTIFICATIONS + 5))


def test_a_subscribed_session_is_sent_it_elsewhere() -> None:
    published: list[str] = []
    journal = InlineJournal(progress_token="t", threshold="debug", publish=published.append)
    context(journal).resource_updated("report://2026")
    context(InlineJournal()).resource_updated("report://2026")

    assert (published, reported(journal)) == (["report://2026"], [])


def test_answers_and_steps_are_those_of_the_round_trips_before() -> None:
    journal = InlineJournal(replay_log=ReplayLog(responses={"a": {"roots": []}}, steps={"s": 7}, requested=["a"]))

    assert journal.request_input([input_request("a")]) == [InputResponse(result={"roots": []})]
    assert journal.step("s", lambda: 8) == 7
    assert journal.step("t", lambda: 9) == 9
    assert journal.replay_log.steps == {"s": 7, "t": 9}


def test_what_has_no_answer_yet_ends_the_round_trip() -> None:
    with pytest.raises(InputNeeded):
        InlineJournal().request_input([input_request("a")])
    with pytest.raises(NonDeterminismError):
        InlineJournal(replay_log=ReplayLog(requested=["b"])).request_input([input_request("a")])


def test_two_runs_share_nothing() -> None:
    first, second = InlineJournal(threshold="debug"), InlineJournal(threshold="debug")
    context(first).log("info", "x")
    first.step("s", lambda: 1)

    assert reported(second) == []
    assert second.replay_log.steps == {}


def test_a_client_that_declared_nothing_can_be_asked_nothing() -> None:
    assert InlineJournal().client_capabilities == frozenset()
