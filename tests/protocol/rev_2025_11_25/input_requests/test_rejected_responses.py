"""A client whose responses are all invalid: the input request ends as if it had timed out."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.testing.replies import Reply
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt
from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, MOON, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import STREAMS, able, open_request, status, suspended, wait

INVALID = accept(title=7)
MOST = 6


def text(ada: Client, task_id: str) -> str:
    return str(ada.result("tasks/result", taskId=task_id)["content"][0]["text"])


def respond_invalidly(ada: Client, task_id: str, answer: Any = INVALID, *, times: int = MOST) -> list[Any]:
    """Respond that often to the requests on new streams, and return these requests."""
    requests = []
    for _ in range(times):
        requests.append(open_request(ada, task_id))
        assert ada.respond(requests[-1], answer).status == 202
    return requests


@requirement("A-INP-11", "A-ELI-4", "A-TASK-12")
@pytest.mark.parametrize(
    ("default", "ended", "says"),
    [(True, "completed", "Declined"), (False, "failed", "Nobody answered 'consent' in time.")],
)
def test_after_six_answers_that_do_not_fit_the_input_request_ends_as_if_its_time_were_over(
    ada: Client, default: bool, ended: str, says: str
) -> None:
    task_id = suspended(ada, "hurry", default=default)
    respond_invalidly(ada, task_id, accept(ok="perhaps"), times=MOST - 1)
    before = status(ada, task_id)

    respond_invalidly(ada, task_id, accept(ok="perhaps"), times=1)

    assert (before, status(ada, task_id), text(ada, task_id)) == ("input_required", ended, says)


@requirement("A-INP-11", "A-INP-8")
@pytest.mark.parametrize(
    "answer", [{"result": INVALID}, {"result": {}}, {"error": {}}, {"error": {"code": "no", "message": 1}}]
)
def test_whatever_does_not_fit_counts(ada: Client, answer: Any) -> None:
    task_id = suspended(ada)
    for _ in range(MOST):
        ada.post({"jsonrpc": "2.0", "id": open_request(ada, task_id)["id"], **answer})

    assert "Nobody answered 'title' in time." in text(ada, task_id)


@requirement("A-INP-11", "A-TASK-24")
@pytest.mark.parametrize("stream", STREAMS)
def test_who_waits_meanwhile_is_given_the_result(ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    waiting = wait(ada, task_id)
    ada.respond(waiting.input_requests[0], INVALID)
    for _ in range(MOST - 1):
        (input_request,) = STREAMS[stream](ada, task_id).input_requests
        ada.respond(input_request, INVALID)

    answer, _ = ada.follow(ada.resume(waiting.last_event_id))

    assert answer["result"]["isError"] is True
    assert "Nobody answered 'title' in time." in answer["result"]["content"][0]["text"]


@requirement("A-INP-11", "A-SSE-5")
@pytest.mark.parametrize(("tool", "key"), [("introduce", "name"), ("publish", "title")])
def test_a_plain_call_is_answered_too(ada: Client, tool: str, key: str) -> None:
    call = {"name": tool, "arguments": {"topic": "tides"} if tool == "publish" else {}}
    reply: Reply = ada.send_request("tools/call", call)
    for _ in range(MOST):
        ada.respond(reply.input_requests[0], {"action": "accept", "content": {key: 7}})
        reply = ada.resume(reply.last_event_id)

    assert reply.response["result"]["isError"] is True
    assert f"Nobody answered '{key}' in time." in reply.response["result"]["content"][0]["text"]


@requirement("A-INP-11", "A-INP-9")
def test_of_several_input_requests_only_that_one_ends(ada: Client) -> None:
    task_id = suspended(ada, "convene")
    reply = wait(ada, task_id)
    title, word, folders = reply.input_requests
    for _ in range(MOST):
        ada.respond(title, INVALID)
        reply = ada.resume(reply.last_event_id)
        title = reply.input_requests[0] if reply.input_requests else None

    assert (title, status(ada, task_id)) == (None, "input_required")
    ada.respond(word, CONVENED["word"])
    ada.respond(folders, CONVENED["folders"])
    assert "Nobody answered 'title' in time." in text(ada, task_id)


@requirement("A-INP-11", "A-ELI-8")
def test_each_session_may_be_wrong_by_itself_and_one_that_is_wrong_too_often_ends_it_for_all(
    harness: Harness, ada: Client
) -> None:
    task_id, other = suspended(ada), able(harness)
    respond_invalidly(ada, task_id, times=MOST - 1)
    (input_request,) = respond_invalidly(other, task_id, times=1)
    before = status(ada, task_id)
    late = open_request(other, task_id)

    respond_invalidly(ada, task_id, times=1)

    assert (before, status(ada, task_id)) == ("input_required", "failed")
    stored = harness.stored()
    assert [other.respond(each, MOON).status for each in (input_request, late)] == [202, 202]
    assert harness.stored() == stored


@requirement("A-INP-11", "A-INP-9")
def test_a_wrong_answer_that_comes_again_and_again_counts_once(ada: Client) -> None:
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    for _ in range(2 * MOST):
        ada.respond(input_request, INVALID)

    assert ada.respond(open_request(ada, task_id), MOON).status == 202
    assert ada.respond(open_request(ada, task_id), YES).status == 202
    assert status(ada, task_id) == "completed"


@requirement("A-INP-11", "A-LIFE-14")
def test_it_has_ended_although_the_executor_is_down(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    respond_invalidly(ada, task_id, times=MOST - 1)
    input_request = open_request(ada, task_id)
    harness.executor.down = True

    assert (ada.respond(input_request, INVALID).status, status(ada, task_id)) == (202, "working")
    harness.executor.down = False
    harness.run(task_id)
    assert "Nobody answered 'title' in time." in text(ada, task_id)


@requirement("A-INP-11")
def test_what_is_asked_next_may_be_answered_wrongly_as_often(ada: Client) -> None:
    task_id = suspended(ada)
    respond_invalidly(ada, task_id, times=MOST - 1)
    ada.respond(open_request(ada, task_id), MOON)

    respond_invalidly(ada, task_id, accept(ok=7), times=MOST - 1)
    ada.respond(open_request(ada, task_id), YES)

    assert status(ada, task_id) == "completed"


@requirement("A-INP-11")
def test_an_input_request_that_was_left_open_after_too_many_is_asked_once_more(
    harness: Harness, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt as earlier releases left it: they sent no further request and waited."""
    task_id = suspended(ada)
    respond_invalidly(ada, task_id, times=MOST - 1)
    load = MemorySessions.load_attempt

    def left(self: MemorySessions, owner_key: str, name: str) -> Attempt | None:
        known = load(self, owner_key, name)
        return known and replace(known, rejected=max(known.rejected, MOST))

    monkeypatch.setattr(MemorySessions, "load_attempt", left)

    respond_invalidly(ada, task_id, times=1)

    assert "Nobody answered 'title' in time." in text(ada, task_id)
