"""What both revisions say of the same tools, prompts and resources is the same, but for what each adds to it."""

from datetime import timedelta
from typing import Any

import pytest

from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client, common_fields

GREETING = {"type": "ref/prompt", "name": "greeting"}

ALIKE: list[tuple[str, dict[str, Any]]] = [
    ("prompts/list", {}),
    ("prompts/get", {"name": "greeting", "arguments": {"name": "Zoë"}}),
    ("prompts/get", {"name": "Résumé"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "note://été"}),
    ("resources/read", {"uri": "picture://logo"}),
    ("resources/read", {"uri": "archive://2025/tax"}),
    ("completion/complete", {"ref": GREETING, "argument": {"name": "name", "value": "person 1"}}),
    ("tools/call", {"name": "greet", "arguments": {"name": "Zoë"}}),
    ("tools/call", {"name": "greet", "arguments": {"name": 7}}),
    ("tools/call", {"name": "exhibit"}),
    ("tools/call", {"name": "report", "arguments": {"uri": "weather://now"}}),
]


@requirement("A-TOOL-7", "A-TOOL-10", "A-RES-2", "A-PRM-2", "A-CPL-1", "B-TOOL-4", "B-RSC-2", "B-PRM-1", "B-CPL-1")
@pytest.mark.parametrize(("method", "params"), ALIKE)
def test_what_is_asked_is_answered_alike(
    harness: Harness, old: Old, new: New, method: str, params: dict[str, Any]
) -> None:
    harness.change(page_size=100)

    assert common_fields(old.result(method, **params)) == common_fields(new.result(method, **params))


@requirement("A-TOOL-1", "A-TOOL-9", "B-TOOL-3", "B-TOOL-1")
@pytest.mark.parametrize("knows_tasks", [True, False])
def test_tools_are_listed_alike_but_for_what_one_says_of_tasks(harness: Harness, knows_tasks: bool) -> None:
    harness.change(page_size=100)

    before, after = (
        client(revision, harness, ADA, knows_tasks=knows_tasks).result("tools/list")["tools"] for revision in REVISIONS
    )

    support = [each.pop("execution")["taskSupport"] for each in before]
    # Whether a client of 2025-11-25 can start tasks is not known, so what has to be one is listed to all.
    alike = [each for each, kind in zip(before, support, strict=True) if knows_tasks or kind != "required"]

    assert "required" in support
    assert alike == after


@requirement("A-PAG-1", "B-PAG-1")
@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
def test_the_pages_of_a_list_are_the_same(harness: Harness, old: Old, new: New, method: str) -> None:
    harness.change(page_size=2)
    pages: list[list[Any]] = [[], []]
    each: Either
    for found, each in ((pages[0], old), (pages[1], new)):
        cursor: dict[str, Any] = {}
        while True:
            page = common_fields(each.result(method, **cursor))
            next_cursor = page.pop("nextCursor", None)
            (entries,) = page.values()
            found.append([entry["name"] for entry in entries])
            if next_cursor is None:
                break
            cursor = {"cursor": next_cursor}

    assert pages[0] == pages[1]
    assert all(len(page) == 2 for page in pages[0][:-1])


@requirement("A-TOOL-5", "A-PRM-1", "A-CPL-2", "A-PAG-2", "B-TOOL-5", "B-PRM-1", "B-CPL-1", "B-PAG-1")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "nope"}),
        ("tools/call", {"name": "greet", "arguments": []}),
        ("prompts/get", {"name": "nope"}),
        ("prompts/get", {"name": "greeting"}),
        ("prompts/get", {"name": "quarrel", "arguments": {"about": "protocol"}}),
        ("completion/complete", {"ref": GREETING, "argument": {"name": "size", "value": ""}}),
        ("resources/list", {"cursor": "forged"}),
        ("resources/read", {}),
        ("tasks/get", {"taskId": "nope"}),
    ],
)
def test_what_is_wrong_is_rejected_alike(old: Old, new: New, method: str, params: dict[str, Any]) -> None:
    assert old.error(method, **params) == new.error(method, **params)


@requirement("A-RES-3", "B-RSC-1")
@pytest.mark.parametrize("uri", ["nope://x", "archive://2025/lost", "shelf://.."])
def test_an_unknown_resource_has_two_codes_and_the_same_words(old: Old, new: New, uri: str) -> None:
    before, after = (each.error("resources/read", uri=uri) for each in (old, new))

    assert (before.pop("code"), after.pop("code")) == (-32002, -32602)
    assert before == after


@requirement("A-BASE-9", "B-HTTP-14")
def test_an_unknown_method_has_one_code_and_two_statuses(old: Old, new: New) -> None:
    replies = [each.send_request("no/such") for each in (old, new)]

    assert [(reply.status, reply.error["code"]) for reply in replies] == [(200, -32601), (404, -32601)]


@requirement("A-PROG-1", "A-LOG-2", "B-PROG-1", "B-LOG-1")
def test_progress_and_log_messages_are_rendered_alike(old: Old, new: New) -> None:
    old.result("logging/setLevel", level="notice")
    climb = {"name": "climb", "arguments": {"steps": [1, 2, 1.5]}}
    chatter = {"name": "chatter", "arguments": {"levels": ["info", "notice", "alert"]}}

    for call, more in ((climb, {"progressToken": "t"}), (chatter, {"io.modelcontextprotocol/logLevel": "notice"})):
        sent = [each.send_request("tools/call", {**call, "_meta": more}).messages[:-1] for each in (old, new)]

        assert sent[0] == sent[1]
        assert len(sent[0]) == 2


@requirement("A-TASK-5", "B-TASK-2", "B-TOOL-5")
@pytest.mark.parametrize("revision", REVISIONS)
def test_who_knows_no_tasks_waits_for_work_that_is_started_once(harness: Harness, revision: str) -> None:
    plain = client(revision, harness, ADA, knows_tasks=False)

    assert plain.call("add", numbers=[40, 2])["structuredContent"] == {"total": 42}
    assert plain.call("stumble")["isError"] is True
    assert plain.error("tools/call", name="refuse")["code"] == 1969
    assert len(harness.executor.started) == 3


@requirement("A-TASK-5", "B-TASK-2", "B-TOOL-8", "B-DUAL-13")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("then", REVISIONS)
def test_work_that_takes_too_long_becomes_a_task_and_its_result_had_in_either(
    harness: Harness, revision: str, then: str
) -> None:
    harness.idle = True
    plain, other = (client(each, harness, ADA, knows_tasks=False) for each in (revision, then))
    reply = plain.send_request("tools/call", {"name": "add", "arguments": {"numbers": [40, 2]}})
    while reply.messages == []:
        assert isinstance(plain, Old)
        reply = plain.resume(reply.last_event_id)
    handle = reply.response["result"]["structuredContent"]
    harness.while_waiting(lambda: harness.run(handle["task_id"]))

    result = other.call("task_result", **{"task_id": handle["task_id"]})

    assert (handle["status"], result["structuredContent"]) == ("working", {"total": 42})
    assert list(harness.executor.started) == [handle["task_id"]]


@requirement("A-TASK-42", "B-TOOL-8")
def test_an_id_in_a_handle_is_gone_with_its_task(harness: Harness, ada: Either) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(hours=2))
    if isinstance(ada, Old):
        assert ada.result("ping") == {}

    result = ada.call("task_result", task_id=task_id)

    assert (result["isError"], repr(task_id) in result["content"][0]["text"]) == (True, True)


@requirement("A-LIFE-9", "A-TOOL-6", "B-META-5")
def test_a_tool_that_must_ask_says_so_where_it_cannot(old: Old, new: New) -> None:
    failed = old.call("introduce")
    pending = new.call("introduce")

    assert (failed["isError"], "elicitation.form" in failed["content"][0]["text"]) == (True, True)
    assert pending["resultType"] == "input_required"


@requirement("A-LIFE-9", "A-PRM-1", "B-MRTR-2")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "toast", "arguments": {"occasion": "spring"}}),
        ("resources/read", {"uri": "diary://today"}),
    ],
)
def test_a_prompt_and_a_resource_that_need_input_say_so_where_they_cannot_request_it(
    old: Old, new: New, method: str, params: dict[str, Any]
) -> None:
    error = old.error(method, **params)
    pending = new.result(method, **params)

    assert (error["code"], "elicitation.form" in error["message"]) == (-32600, True)
    assert pending["resultType"] == "input_required"
