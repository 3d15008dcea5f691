"""Responses to requests about a client's task other than the valid one: errors, and invalid results."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import (
    NO_RUNTIME,
    ROSE,
    STEPS,
    STREAMS,
    carried,
    fetched,
    listen,
    made,
    polled,
    result_text,
    shown,
    silent,
    suspended,
    wait,
)


@requirement("A-TREQ-6")
@pytest.mark.parametrize("step", [polled, fetched])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_client_without_the_methods_is_asked_plainly(
    ada: Client, step: Callable[[Client, str], Any], stream: str
) -> None:
    task_id = suspended(ada)

    assert ada.respond(step(ada, task_id), error=NO_RUNTIME).status == 202

    request = carried(ada, task_id, stream)
    assert request["method"] == "elicitation/create"
    assert "task" not in request["params"]
    assert ada.respond(request, ROSE).status == 202
    assert result_text(ada, task_id) == "It is Rose."


@requirement("A-TREQ-6")
def test_who_was_asked_plainly_answers_plainly(ada: Client) -> None:
    task_id = suspended(ada)
    ada.respond(polled(ada, task_id), error=NO_RUNTIME)

    assert ada.respond(carried(ada, task_id), made()).status == 202
    anew = carried(ada, task_id)["params"]
    assert "action should be accept, decline or cancel" in anew["message"]
    assert "task" not in anew


@requirement("A-TREQ-2", "A-INP-8")
@pytest.mark.parametrize("step", [carried, polled, fetched])
def test_any_other_error_is_the_answer(ada: Client, step: Callable[[Client, str], Any]) -> None:
    task_id = suspended(ada)

    assert ada.respond(step(ada, task_id), error={"code": -32602, "message": "No such task."}).status == 202
    assert result_text(ada, task_id) == "-32602: No such task."
    assert silent(ada, task_id)


@requirement("A-TREQ-2", "A-INP-8")
def test_that_the_input_request_itself_is_unknown_is_the_answer_too(ada: Client) -> None:
    task_id = suspended(ada)

    ada.respond(carried(ada, task_id), error=NO_RUNTIME)

    assert result_text(ada, task_id) == "-32601: Method not found"


@requirement("A-TREQ-2", "A-HTTP-7")
@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({"task": {}}, "task.status is missing"),
        ({"task": {"status": "working"}}, "task.taskId is missing"),
        ({"task": 7}, "task should be an object, not 7"),
        (made(taskId=7), "task.taskId should be a string of at most 256 characters, not 7"),
        (made(taskId="x" * 257), "task.taskId should be a string"),
        (made(taskId=None), "task.taskId is missing"),
        (made("done"), "task.status should be one of working, input_required, completed, failed, cancelled, not"),
        (made(pollInterval="soon"), 'task.pollInterval should be a number of milliseconds, not "soon"'),
        (made(pollInterval=-1), "task.pollInterval should be a number of milliseconds that is not negative, not -1"),
        (made(pollInterval=True), "task.pollInterval should be"),
        (made(pollInterval=10**400), "task.pollInterval should be"),
    ],
)
def test_an_invalid_task_is_rejected_and_the_input_request_sent_again(
    ada: Client, answer: Mapping[str, Any], wrong: str
) -> None:
    task_id = suspended(ada)

    assert ada.respond(carried(ada, task_id), answer).status == 202
    anew = carried(ada, task_id)["params"]
    assert wrong in anew["message"]
    assert "task" in anew


@requirement("A-TREQ-2", "A-HTTP-7")
@pytest.mark.parametrize("answer", [{}, {"taskId": "client-1"}, {"status": "working"}, shown("gone"), ROSE])
def test_a_poll_whose_response_is_no_task_is_repeated(harness: Harness, ada: Client, answer: Mapping[str, Any]) -> None:
    task_id = suspended(ada)

    assert ada.respond(polled(ada, task_id), answer).status == 202
    harness.clock.advance(timedelta(minutes=1))
    again = carried(ada, task_id)
    assert (again["method"], again["params"]) == ("tasks/get", {"taskId": "client-1"})
    assert ada.respond(again, shown("completed")).status == 202


@requirement("A-TREQ-2", "A-ELI-4")
def test_an_invalid_result_is_rejected_and_the_input_request_sent_again(ada: Client) -> None:
    task_id = suspended(ada)

    assert ada.respond(fetched(ada, task_id), {"action": "accept", "content": {"name": 7}}).status == 202
    again = carried(ada, task_id)
    assert "The last answer did not fit: name should be a text, not 7." in again["params"]["message"]
    assert (again["method"], "task" in again["params"]) == ("elicitation/create", True)


@requirement("A-TREQ-2", "A-HTTP-7")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("error", [{}, {"code": "x", "message": "y"}, {"code": 1}])
def test_an_invalid_error_object_is_rejected(
    harness: Harness, ada: Client, step: str, error: Mapping[str, Any]
) -> None:
    task_id = suspended(ada)
    reach, good = STEPS[step]

    assert ada.respond(reach(ada, task_id), error=error).status == 202
    harness.clock.advance(timedelta(minutes=1))
    assert ada.respond(carried(ada, task_id), made() if step == "fetch" else good).status == 202


@requirement("A-TREQ-2", "A-ELI-4")
def test_nobody_is_asked_for_ever(ada: Client) -> None:
    task_id = suspended(ada)
    count = 0
    while count < 9 and (input_requests := wait(ada, task_id).input_requests):
        assert ada.respond(input_requests[0], {"task": {}}).status == 202
        count += 1

    assert count == 6


@requirement("A-TREQ-2", "A-ELI-4")
def test_a_client_that_answers_nonsense_is_not_polled_for_ever(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    request, methods = polled(ada, task_id), list[str]()
    place = listen(ada, task_id).last_event_id
    while len(methods) < 9 and request is not None:
        methods.append(request["method"])
        ada.respond(request, {"odd": len(methods)})
        harness.clock.advance(timedelta(minutes=2))
        request = next(iter(wait(ada, task_id).input_requests), None)

    # The input request has ended, so that nobody waits for that task any more.
    assert methods == ["tasks/get"] * 6
    assert [each["method"] for each in ada.resume(place).input_requests] == ["tasks/cancel"]
    assert "Nobody answered 'name' in time." in result_text(ada, task_id)
