"""Tasks that request input: how their requests are rendered, and which responses are accepted."""

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, DECLINE, HOME, MOON, SAMPLED, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, KNOWS_TASKS, Client
from tests.protocol.rev_2026_07_28.task_input import open_requests, result_text, status, suspended, update


@requirement("B-TASK-13", "B-TASK-20", "B-MRTR-3", "B-ELI-1")
def test_a_task_is_shown_with_what_it_asks(ada: Client) -> None:
    shown = ada.tasks_get(suspended(ada))

    assert shown["status"] == "input_required"
    assert shown["inputRequests"] == {
        "title": {
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": "A title for a draft of tides?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "title": {"type": "string", "title": "Title", "minLength": 2},
                        "public": {"type": "boolean", "title": "Public", "default": False},
                    },
                    "required": ["title"],
                },
            },
        }
    }


@requirement("B-TASK-16", "B-TASK-13", "B-TASK-21")
def test_it_waits_for_input_from_its_input_request_to_the_answer(harness: Harness, ada: Client) -> None:
    harness.idle = True
    task_id = ada.start("publish", topic="tides")
    trace = [status(ada, task_id)]
    for key, answer in {"title": MOON, "consent": YES}.items():
        harness.run(task_id)
        trace.append(status(ada, task_id))
        update(ada, task_id, **{key: answer})
        trace.append(status(ada, task_id))
    harness.run(task_id)

    assert [*trace, status(ada, task_id)] == [
        *("working", "input_required", "working", "input_required", "working", "completed")
    ]
    assert result_text(ada, task_id) == "Moon, of a draft of tides: Accepted"


@requirement("B-TASK-21", "B-TASK-13")
@pytest.mark.parametrize("trouble", [None, "idle", "down"])
def test_what_was_answered_is_listed_no_more_at_once(harness: Harness, ada: Client, trouble: str | None) -> None:
    task_id = suspended(ada)
    harness.idle, harness.executor.down = trouble == "idle", trouble == "down"

    update(ada, task_id, title=MOON)

    shown = ada.tasks_get(task_id)
    assert "title" not in shown.get("inputRequests", {})
    assert shown["status"] == ("working" if trouble else "input_required")


@requirement("B-TASK-22", "B-TASK-13")
@pytest.mark.parametrize("order", list(permutations(CONVENED)))
def test_answers_may_come_one_by_one_in_any_order(ada: Client, order: tuple[str, ...]) -> None:
    task_id = suspended(ada, "convene")
    input_requests = open_requests(ada, task_id)
    for number, key in enumerate(order):
        left = {each: input_requests[each] for each in input_requests if each in order[number:]}
        assert open_requests(ada, task_id) == left
        update(ada, task_id, **{key: CONVENED[key]})

    assert result_text(ada, task_id) == "Moon: Splendid [file:///home]"


@requirement("B-TASK-22", "B-TASK-13")
def test_answers_may_come_together(ada: Client) -> None:
    task_id = suspended(ada, "convene")
    update(ada, task_id, word=SAMPLED, title=MOON)
    left = open_requests(ada, task_id)
    update(ada, task_id, folders=HOME)

    assert (list(left), result_text(ada, task_id)) == (["folders"], "Moon: Splendid [file:///home]")


@requirement("B-TASK-22")
def test_what_nobody_asked_is_ignored_beside_what_somebody_did(ada: Client) -> None:
    task_id = suspended(ada)

    update(ada, task_id, title=MOON, consent=YES, nobody={"x": 1}, **{"": {}})

    assert list(open_requests(ada, task_id)) == ["consent"]


@requirement("B-TASK-22")
@pytest.mark.parametrize("again", [MOON, accept(title="Sun"), accept(title=7), DECLINE, {}])
@pytest.mark.parametrize("idle", [True, False])
def test_the_first_answer_stays(harness: Harness, ada: Client, again: Any, idle: bool) -> None:
    harness.idle = idle
    task_id = suspended(ada)
    update(ada, task_id, title=MOON)
    before = harness.stored()

    update(ada, task_id, title=again)

    assert harness.stored() == before
    if idle:
        harness.run(task_id)
    assert open_requests(ada, task_id)["consent"]["params"]["message"] == "Publish 'Moon'?"


@requirement("B-ELI-2", "B-TASK-16")
@pytest.mark.parametrize(("action", "outcome"), [("decline", "Declined"), ("cancel", "Cancelled")])
def test_a_user_may_decline_or_go_away(ada: Client, action: str, outcome: str) -> None:
    task_id = suspended(ada)

    update(ada, task_id, title={"action": action})

    assert result_text(ada, task_id) == f"a draft of tides stays in the drawer: {outcome}"


@requirement("B-TASK-23", "B-MRTR-3")
def test_no_key_names_two_input_requests(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "quiz", questions=4)
    keys: list[str] = []
    while status(ada, task_id) == "input_required":
        (key,) = open_requests(ada, task_id)
        keys.append(key)
        assert len(keys) <= 4, "this never ends"
        update(ada, task_id, **{each: accept(title=f"Answer to {key}") for each in keys})

    assert len(set(keys)) == len(keys) == 4
    assert result_text(ada, task_id) == ", ".join(f"Answer to {key}" for key in keys)


@requirement("B-TASK-23", "B-TASK-22")
def test_a_key_stays_with_its_input_request_until_that_is_answered(ada: Client) -> None:
    task_id = suspended(ada, "quiz", questions=1)
    before = open_requests(ada, task_id)
    (key,) = before
    ada.error("tasks/update", taskId=task_id, inputResponses={key: {}})

    assert open_requests(ada, task_id) == before


@requirement("B-ELI-1", "B-TASK-13")
def test_a_url_has_no_id(ada: Client) -> None:
    task_id = suspended(ada, "sign_in")

    assert open_requests(ada, task_id)["login"]["params"] == {
        "mode": "url",
        "message": "Please sign in.",
        "url": "https://login.example/a?b=c",
    }


@requirement("B-TASK-20", "B-MRTR-4", "B-SAM-1")
@pytest.mark.parametrize(
    ("declared", "tools"),
    [
        ({}, set()),
        ({"elicitation": {}}, {"publish"}),
        ({"elicitation": {"url": {}}}, {"sign_in"}),
        ({"sampling": {}}, {"muse"}),
        ({"sampling": {"tools": {}}}, {"muse", "forge"}),
        ({"roots": {}}, {"list_folders"}),
    ],
)
def test_a_client_without_the_capability_is_not_asked_and_the_tool_gets_an_error(
    harness: Harness, declared: dict[str, Any], tools: set[str]
) -> None:
    ada = Client(harness, capabilities={**KNOWS_TASKS, **declared})

    for tool in ("publish", "sign_in", "muse", "forge", "list_folders"):
        task_id = suspended(ada, tool)
        if tool in tools:
            assert len(open_requests(ada, task_id)) == 1
        elif tool == "muse":
            assert result_text(ada, task_id) == "silence, for want of sampling"
        else:
            result = ada.tasks_get(task_id)["result"]
            assert (result["isError"], "needs the client capability" in result["content"][0]["text"]) == (True, True)


@requirement("B-TASK-20", "B-BASE-5")
@pytest.mark.parametrize(
    ("declared", "keys"),
    [({"roots": {}}, ["folders"]), ({}, []), ({"sampling": {}, "elicitation": {}}, ["title", "word"])],
)
def test_each_request_is_shown_the_input_requests_that_it_could_answer(
    ada: Client, declared: dict[str, Any], keys: list[str]
) -> None:
    params = {"taskId": suspended(ada, "convene")}

    shown = ada.send_request("tasks/get", params, meta={CAPABILITIES: {**KNOWS_TASKS, **declared}}).message["result"]

    assert (shown["status"], list(shown["inputRequests"])) == ("input_required", keys)


@requirement("B-TASK-27", "B-TASK-16", "B-SUB-2")
def test_a_listener_is_sent_the_input_requests_and_that_they_were_answered(harness: Harness, ada: Client) -> None:
    harness.idle = True
    task_id = ada.start("publish", topic="tides")
    about = {"notifications": {"taskIds": [task_id]}}
    sent = []
    for happens in (
        lambda: harness.run(task_id),
        lambda: update(ada, task_id, title=MOON),
        lambda: harness.run(task_id),
        lambda: update(ada, task_id, consent=DECLINE),
        lambda: harness.run(task_id),
    ):
        harness.while_waiting(happens)
        # An input request that is open already is sent only after a moment in which a newer change might come.
        harness.clock.advance(timedelta(seconds=20))
        sent += ada.send_request("subscriptions/listen", about).notifications("notifications/tasks")

    assert [(each["status"], list(each.get("inputRequests", []))) for each in sent] == [
        ("input_required", ["title"]),
        ("working", []),
        ("input_required", ["consent"]),
        ("working", []),
        ("completed", []),
    ]


@requirement("B-TASK-11", "B-AUTH-6", "B-ELI-1")
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("answer", [MOON, accept(title=7), {}])
def test_another_callers_input_request_and_no_task_are_byte_identical_responses(
    harness: Harness, ada: Client, stranger: Caller, answer: Any
) -> None:
    task_id = suspended(ada)
    other, nobody = Client(harness, stranger), Client(Harness(harness.server.features), stranger)
    before = harness.kept()

    foreign, missing = (
        each.send_request("tasks/update", {"taskId": task_id, "inputResponses": {"title": answer}}, id=1)
        for each in (other, nobody)
    )

    assert (foreign.status, foreign.headers, foreign.body) == (missing.status, missing.headers, missing.body)
    assert (foreign.error["code"], harness.kept()) == (-32602, before)
    update(ada, task_id, title=MOON)


@requirement("B-BASE-6", "B-TASK-21")
def test_any_client_of_the_caller_can_answer_at_any_instance(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    harness.restart()

    update(Client(harness, capabilities=KNOWS_TASKS), task_id, title=MOON)

    assert list(open_requests(ada, task_id)) == ["consent"]
