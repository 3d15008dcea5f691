"""Responses that come twice, late, concurrently or from another caller, and crashes: each takes effect once."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import (
    STEPS,
    STREAMS,
    InterruptibleSessions,
    carried,
    made,
    polled,
    receiver,
    result_text,
    silent,
    suspended,
    wait,
)


class Died(Exception):
    """The process crashed."""


def die() -> None:
    raise Died


@requirement("A-TREQ-2", "A-INP-9")
@pytest.mark.parametrize("step", STEPS)
def test_the_same_answer_again_changes_nothing(harness: Harness, ada: Client, step: str) -> None:
    task_id = suspended(ada)
    reach, good = STEPS[step]
    request = reach(ada, task_id)
    ada.respond(request, good)
    before = harness.kept()

    assert ada.respond(request, good).status == 202
    assert harness.kept() == before


@requirement("A-TREQ-2", "A-INP-9")
@pytest.mark.parametrize("bad", [{"task": {}}, {"action": "maybe"}])
def test_what_did_not_fit_changes_nothing_when_it_comes_again(harness: Harness, ada: Client, bad: Any) -> None:
    task_id = suspended(ada)
    first = carried(ada, task_id)
    ada.respond(first, bad)
    carried(ada, task_id)
    before = harness.kept()

    assert ada.respond(first, bad).status == 202
    assert harness.kept() == before
    assert silent(ada, task_id)


@requirement("A-TREQ-2", "A-INP-9")
@pytest.mark.parametrize("step", STEPS)
def test_an_old_answer_changes_nothing_however_far_it_went(harness: Harness, ada: Client, step: str) -> None:
    task_id = suspended(ada)
    reach, good = STEPS[step]
    old = reach(ada, task_id)
    ada.respond(old, good)
    harness.clock.advance(timedelta(seconds=2))
    if step != "fetch":
        carried(ada, task_id)
    before = harness.kept()

    assert ada.respond(old, made("failed")).status == 202
    assert ada.respond(old, good).status == 202
    assert harness.kept() == before


@requirement("A-TREQ-2", "A-INP-9", "A-INP-6")
@pytest.mark.parametrize("step", ["create", "poll", "last poll"])
def test_of_two_same_answers_at_once_one_counts(
    harness: Harness, sessions: InterruptibleSessions, ada: Client, step: str
) -> None:
    task_id = suspended(ada)
    reach, good = STEPS[step]
    request = reach(ada, task_id)
    sessions.before = lambda: ada.respond(request, good)

    assert ada.respond(request, good).status == 202

    harness.clock.advance(timedelta(seconds=2))
    assert [len(STREAMS[stream](ada, task_id).input_requests) for stream in STREAMS] == [1, 0]


@requirement("A-TREQ-2", "A-INP-6", "A-SSE-13")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("stream", STREAMS)
def test_of_two_streams_at_once_one_carries_it(
    harness: Harness, sessions: InterruptibleSessions, ada: Client, step: str, stream: str
) -> None:
    task_id = suspended(ada)
    if step != "create":
        ada.respond(carried(ada, task_id), made("working" if "poll" in step else "completed"))
        harness.clock.advance(timedelta(seconds=1))
    meanwhile = []
    sessions.before = lambda: meanwhile.extend(wait(ada, task_id).input_requests)

    sent = STREAMS[stream](ada, task_id).input_requests

    assert (len(meanwhile), len(sent)) == (1, 0)


@requirement("A-TREQ-2")
@pytest.mark.parametrize("step", ["create", "poll", "last poll"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_who_dies_over_an_answer_loses_nothing(
    harness: Harness, sessions: InterruptibleSessions, ada: Client, step: str, when: str
) -> None:
    task_id = suspended(ada)
    reach, good = STEPS[step]
    request = reach(ada, task_id)
    setattr(sessions, when, die)
    assert ada.respond(request, good).status == 500

    assert ada.respond(request, good).status == 202

    harness.clock.advance(timedelta(seconds=2))
    next_one = "tasks/result" if step == "last poll" else "tasks/get"
    assert carried(ada, task_id)["method"] == next_one


@requirement("A-TREQ-2")
def test_who_dies_over_an_error_finds_it_again(sessions: InterruptibleSessions, ada: Client) -> None:
    task_id = suspended(ada)
    poll = polled(ada, task_id)
    sessions.after = die
    assert ada.respond(poll, error={"code": -1, "message": "lost"}).status == 500

    fetch = carried(ada, task_id)
    ada.respond(fetch, error={"code": -1, "message": "lost"})

    assert fetch["method"] == "tasks/result"
    assert result_text(ada, task_id) == "-1: lost"


@requirement("A-TREQ-2")
@pytest.mark.parametrize("step", ["poll", "fetch"])
def test_who_dies_over_a_request_has_it_made_again(
    harness: Harness, sessions: InterruptibleSessions, ada: Client, step: str
) -> None:
    task_id = suspended(ada)
    ada.respond(carried(ada, task_id), made("working" if step == "poll" else "completed"))
    harness.clock.advance(timedelta(seconds=1))
    sessions.after = die
    assert wait(ada, task_id).error["code"] == -32603

    assert silent(ada, task_id)
    harness.clock.advance(timedelta(minutes=1))
    assert carried(ada, task_id)["params"] == {"taskId": "client-1"}


@requirement("A-TREQ-2", "A-INP-10", "A-ELI-8")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_nobody_else_answers(harness: Harness, ada: Client, step: str, stranger: Caller) -> None:
    thief = receiver(harness, stranger)
    task_id = suspended(ada)
    reach, good = STEPS[step]
    request = reach(ada, task_id)
    before = harness.kept()

    rejected = thief.respond(request, good)

    assert (rejected.status, rejected.error["code"]) == (400, -32600)
    assert harness.kept() == before
    assert ada.respond(request, good).status == 202


@requirement("A-TREQ-2", "A-INP-9")
@pytest.mark.parametrize("step", STEPS)
def test_a_response_from_another_session_of_the_caller_is_accepted(harness: Harness, ada: Client, step: str) -> None:
    other = receiver(harness)
    task_id = suspended(ada)
    reach, good = STEPS[step]

    assert other.respond(reach(ada, task_id), good).status == 202

    harness.clock.advance(timedelta(seconds=2))
    methods = {"create": ["tasks/get"], "poll": ["tasks/get"], "last poll": ["tasks/result"], "fetch": []}
    assert [each["method"] for each in wait(ada, task_id).input_requests] == methods[step]
