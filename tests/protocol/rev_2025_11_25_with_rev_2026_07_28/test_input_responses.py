"""Input requests know no revision: what a task asks under one is answered under the other, and judged alike."""

from itertools import product
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import ADA, BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, DECLINE, HOME, MOON, SAMPLED, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old
from tests.protocol.rev_2026_07_28.client import ANSWERS, KNOWS_TASKS


def able(
    revision: str, harness: Harness, caller: Caller = ADA, *, knows_tasks: bool = True, answers: bool = True
) -> Either:
    """Return a client of that revision, with all capabilities unless others are given."""
    declared = ANSWERS if answers else {}
    if revision == "2026-07-28":
        return New(harness, caller, {**declared, **KNOWS_TASKS} if knows_tasks else declared)
    old = Old(harness, caller)
    old.initialize({**declared, "tasks": {}} if knows_tasks else declared)
    return old


@pytest.fixture
def old(harness: Harness) -> Old:
    """A client of revision 2025-11-25."""
    client = able("2025-11-25", harness)
    assert isinstance(client, Old)
    return client


def suspended(harness: Harness, created_by: str, tool: str = "publish", /, **arguments: Any) -> str:
    """Start a task with a client of that revision, and run it to its input request."""
    given = arguments or ({"topic": "tides"} if tool == "publish" else {})
    task_id = able(created_by, harness).start(tool, **given)
    harness.run(task_id)
    return task_id


def open_requests(old: Old, task_id: str) -> list[Any]:
    """Return the requests that a client of the earlier revision is sent while it waits for the task's result."""
    return old.send_request("tasks/result", {"taskId": task_id}).input_requests


def update(new: New, task_id: str, **answers: Any) -> Any:
    return new.send_request("tasks/update", {"taskId": task_id, "inputResponses": answers}).message


@requirement("B-DUAL-13", "A-INP-4", "B-TASK-21", "A-INP-1", "B-TASK-13")
@pytest.mark.parametrize("created_by", REVISIONS)
@pytest.mark.parametrize("answered_by", list(product(REVISIONS, repeat=2)))
def test_a_task_of_either_is_answered_in_either(
    harness: Harness, old: Old, new: New, created_by: str, answered_by: tuple[str, str]
) -> None:
    task_id = suspended(harness, created_by)
    for revision, (key, answer) in zip(answered_by, {"title": MOON, "consent": YES}.items(), strict=True):
        (input_request,) = open_requests(old, task_id)
        (shown,) = new.tasks_get(task_id)["inputRequests"].values()
        assert {**input_request["params"], "_meta": None} == {**shown["params"], "_meta": None}
        old.respond(input_request, answer) if revision == "2025-11-25" else update(new, task_id, **{key: answer})

    results = [old.result("tasks/result", taskId=task_id), new.tasks_get(task_id)["result"]]
    assert [each["content"][0]["text"] for each in results] == ["Moon, of a draft of tides: Accepted"] * 2


@requirement("B-DUAL-13", "A-INP-9", "B-TASK-22")
@pytest.mark.parametrize("created_by", REVISIONS)
@pytest.mark.parametrize("first", REVISIONS)
def test_whichever_answers_first_has_answered(
    harness: Harness, old: Old, new: New, created_by: str, first: str
) -> None:
    task_id = suspended(harness, created_by)
    (input_request,) = open_requests(old, task_id)

    for revision, title in zip(sorted(REVISIONS, key=first.__ne__), ("First", "Second"), strict=True):
        if revision == "2025-11-25":
            assert old.respond(input_request, accept(title=title)).status == 202
        else:
            assert update(new, task_id, title=accept(title=title))["result"]["resultType"] == "complete"

    assert new.tasks_get(task_id)["inputRequests"]["consent"]["params"]["message"] == "Publish 'First'?"


@requirement("B-DUAL-13", "B-TASK-22", "A-INP-1")
@pytest.mark.parametrize("created_by", REVISIONS)
def test_what_is_asked_at_once_may_be_answered_in_both(harness: Harness, old: Old, new: New, created_by: str) -> None:
    task_id = suspended(harness, created_by, "convene")
    title, _, folders = open_requests(old, task_id)
    old.respond(title, MOON)
    update(new, task_id, word=SAMPLED, title=accept(title="Sun"))
    left = list(new.tasks_get(task_id)["inputRequests"])
    old.respond(folders, HOME)

    assert (left, new.tasks_get(task_id)["result"]["content"][0]["text"]) == (
        ["folders"],
        "Moon: Splendid [file:///home]",
    )


@requirement("B-DUAL-13", "A-ELI-4", "B-ELI-2")
@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("title", accept(title=7)),
        ("title", accept()),
        ("title", {"action": "agree"}),
        ("title", {}),
        ("word", {**SAMPLED, "model": None}),
        ("folders", {"roots": {}}),
    ],
)
def test_invalid_input_is_rejected_alike_and_in_the_same_words(
    harness: Harness, old: Old, new: New, key: str, answer: Any
) -> None:
    task_id = suspended(harness, "2026-07-28", "convene")
    input_requests = dict(zip(CONVENED, open_requests(old, task_id), strict=True))
    before = harness.stored()

    assert old.respond(input_requests[key], answer).status == 202
    rejected = update(new, task_id, **{key: answer})["error"]
    (anew,) = open_requests(old, task_id)

    assert (rejected["code"], harness.stored()) == (-32602, before)
    reason = rejected["message"].removeprefix(f"Invalid params: the answer to {key!r} does not fit: ")
    assert "message" not in anew["params"] or anew["params"]["message"].endswith(
        f"The last answer did not fit: {reason}"
    )


@requirement("B-DUAL-13", "A-INP-8", "B-TASK-15")
@pytest.mark.parametrize("created_by", REVISIONS)
def test_an_error_that_one_can_say_is_seen_in_the_other(harness: Harness, old: Old, new: New, created_by: str) -> None:
    task_id = suspended(harness, created_by, "muse")
    (input_request,) = open_requests(old, task_id)

    old.respond(input_request, error={"code": -1, "message": "not now"})

    assert new.tasks_get(task_id)["result"]["content"][0]["text"] == "silence, since 'not now' (-1)"


@requirement("B-DUAL-13", "A-INP-10", "A-ELI-8", "B-TASK-11")
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("created_by", REVISIONS)
def test_no_revision_is_a_way_to_answer_for_others(
    harness: Harness, old: Old, created_by: str, stranger: Caller
) -> None:
    task_id = suspended(harness, created_by)
    (input_request,) = open_requests(old, task_id)
    theirs = [able(revision, harness, stranger) for revision in REVISIONS]
    assert isinstance(theirs[0], Old)
    assert isinstance(theirs[1], New)
    before = harness.kept()

    assert theirs[0].respond(input_request, MOON).status == 400
    assert update(theirs[1], task_id, title=MOON)["error"]["code"] == -32602
    assert harness.kept() == before


@requirement("A-LIFE-9", "B-TASK-20", "B-DUAL-13")
@pytest.mark.parametrize("created_by", REVISIONS)
def test_what_is_asked_at_all_is_up_to_who_created_the_task(
    harness: Harness, old: Old, new: New, created_by: str
) -> None:
    task_id = able(created_by, harness, answers=False).start("muse")
    harness.run(task_id)

    assert old.result("tasks/result", taskId=task_id)["content"][0]["text"] == "silence, for want of sampling"


@requirement("A-TASK-35", "B-TASK-25", "B-DUAL-13")
@pytest.mark.parametrize("cancelled_by", REVISIONS)
def test_cancelling_in_one_ends_the_input_request_in_the_other(
    harness: Harness, old: Old, new: New, cancelled_by: str
) -> None:
    task_id = suspended(harness, "2025-11-25")
    reply = old.send_request("tasks/result", {"taskId": task_id})

    able(cancelled_by, harness).result("tasks/cancel", taskId=task_id)

    assert "inputRequests" not in new.tasks_get(task_id)
    assert old.respond(reply.input_requests[0], MOON).status == 202
    assert old.resume(reply.last_event_id).response["error"]["code"] == -32603
    assert new.tasks_get(task_id)["status"] == "cancelled"


@requirement("B-TASK-9", "A-TASK-9", "A-INP-1", "B-DUAL-13")
def test_a_client_that_declares_input_is_asked_before_there_is_a_task(harness: Harness, old: Old, new: New) -> None:
    order: dict[str, Any] = {"name": "order", "arguments": {"what": "shoes"}}
    early = new.result("tools/call", **order)
    task_id = old.start("order", what="shoes")
    harness.run(task_id)
    (input_request,) = open_requests(old, task_id)

    assert early["resultType"] == "input_required"
    assert input_request["params"]["message"] == early["inputRequests"]["consent"]["params"]["message"]
    old.respond(input_request, DECLINE)
    assert new.tasks_get(task_id)["result"]["content"][0]["text"] == "no a draft of shoes: Declined"


@requirement("A-INP-7", "B-MRTR-1", "A-TASK-5", "B-TASK-2", "B-TOOL-8")
@pytest.mark.parametrize("tool", ["publish", "order"])
def test_who_knows_no_tasks_comes_to_the_same_end(harness: Harness, tool: str) -> None:
    old, new = (able(revision, harness, knows_tasks=False) for revision in REVISIONS)
    assert isinstance(old, Old)
    assert isinstance(new, New)
    arguments = {"topic" if tool == "publish" else "what": "tides"}
    answers = {"publish": {"title": MOON, "consent": YES}, "order": {"consent": YES, "title": MOON}}[tool]

    reply = old.send_request("tools/call", {"name": tool, "arguments": arguments})
    pending = new.call(tool, **arguments)
    for key, answer in answers.items():
        old.respond(reply.input_requests[0], answer)
        reply = old.resume(reply.last_event_id)
        pending = new.retry(pending, tool, arguments, **{key: answer})

    assert reply.response["result"]["content"] == pending["content"]
    assert len(harness.executor.started) == 2
