"""The kinds of input requests, the capabilities that they need, and their responses."""

from typing import Any

import pytest
from pydantic import SecretStr

from mcp_tasks import Form, Message, Sample
from tests.protocol.call_input_tools import HAMMER
from tests.protocol.harness import Harness
from tests.protocol.input_responses import HOME, SAMPLED
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import (
    ABLE,
    RELATED,
    able,
    open_request,
    status,
    suspended,
    tasks_get,
    wait,
)

USED = {"type": "tool_use", "id": "t1", "name": "hammer", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "t1", "content": [{"type": "text", "text": "bang"}]}

NEEDS = {
    "publish": "elicitation.form",
    "sign_in": "elicitation.url",
    "list_folders": "roots",
    "forge": "sampling.tools",
}


def outcome(ada: Client, task_id: str) -> tuple[str, str]:
    """Return the status of a task and the text of its result."""
    return status(ada, task_id), ada.result("tasks/result", taskId=task_id)["content"][0]["text"]


@requirement("A-ELI-1", "A-SAM-1", "A-ROOT-1", "A-LIFE-9")
@pytest.mark.parametrize(
    ("declared", "tools"),
    [
        ({}, set()),
        ({"elicitation": {}}, {"publish"}),
        ({"elicitation": {"form": {}}}, {"publish"}),
        ({"elicitation": {"url": {}}}, {"sign_in"}),
        ({"elicitation": {"form": {}, "url": {}}}, {"publish", "sign_in"}),
        ({"sampling": {}}, set()),
        ({"sampling": {"context": {}}, "roots": {}}, {"list_folders"}),
        ({"sampling": {"tools": {}}}, {"forge"}),
        ({"roots": {"listChanged": True}}, {"list_folders"}),
        ({"roots": None, "sampling": True, "elicitation": []}, set()),
        (ABLE, set(NEEDS)),
    ],
)
def test_a_client_is_asked_what_it_declared_and_nothing_else(
    harness: Harness, declared: dict[str, Any], tools: set[str]
) -> None:
    ada = able(harness, capabilities={**declared, "tasks": {}})

    for tool, capability in NEEDS.items():
        task_id = suspended(ada, tool)
        if tool in tools:
            assert open_request(ada, task_id)["params"]["_meta"] == {RELATED: {"taskId": task_id}}
        else:
            how, text = outcome(ada, task_id)
            assert (how, f"needs the client capability {capability}," in text) == ("failed", True)


@requirement("A-LIFE-9", "A-SAM-1")
def test_a_tool_learns_what_its_client_cannot_and_may_do_without(harness: Harness) -> None:
    ada = able(harness, capabilities={"elicitation": {}, "tasks": {}})

    task_id = suspended(ada, "muse")

    assert outcome(ada, task_id) == ("completed", "silence, for want of sampling")
    assert ada.call("muse")["content"][0]["text"] == "silence, for want of sampling"


@requirement("A-LIFE-9", "A-ELI-1")
def test_a_session_is_not_asked_what_another_one_could_answer(harness: Harness, ada: Client) -> None:
    other = able(harness, capabilities={"roots": {}, "tasks": {}})
    task_id = suspended(ada, "convene")

    methods = [
        [input_request["method"] for input_request in wait(client, task_id).input_requests] for client in (other, ada)
    ]

    assert methods == [["roots/list"], ["elicitation/create", "sampling/createMessage", "roots/list"]]


@requirement("A-TASK-8", "A-LIFE-9")
@pytest.mark.parametrize("tasks", [{}, {"list": {}, "cancel": {}}, {"requests": {}}, {"requests": {"tools": {}}}])
def test_a_client_that_declared_no_tasks_of_that_kind_is_sent_a_plain_request(
    harness: Harness, tasks: dict[str, Any]
) -> None:
    ada = able(harness, capabilities={**ABLE, "tasks": tasks})

    input_requests = wait(ada, suspended(ada, "convene")).input_requests

    assert len(input_requests) == 3
    assert all("task" not in input_request["params"] for input_request in input_requests)


@requirement("A-LIFE-9", "A-SSE-15")
@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26"])
def test_older_versions_are_never_asked(harness: Harness, version: str) -> None:
    old = Client(harness, version=version)
    old.initialize(ABLE)

    sampled = old.call("muse")["content"][0]["text"]
    failed = [old.call(tool) for tool in ("sign_in", "introduce", "connect", "forge")]

    assert sampled == "silence, for want of sampling"
    assert all(result["isError"] and "needs the client capability" in result["content"][0]["text"] for result in failed)
    assert old.resume(None).status == 405


@requirement("A-ELI-2", "A-INP-9")
def test_a_url_has_an_id_of_its_own_each_time(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "sign_in")

    mine, theirs = open_request(ada, task_id), open_request(able(harness), task_id)

    ids = {input_request["params"].pop("elicitationId") for input_request in (mine, theirs)}
    assert len(ids) == 2
    assert mine["params"] == {
        "mode": "url",
        "message": "Please sign in.",
        "url": "https://login.example/a?b=c",
        "_meta": {RELATED: {"taskId": task_id}},
    }


@requirement("A-ELI-4", "A-ELI-2")
@pytest.mark.parametrize(("action", "text"), [("accept", "Accepted"), ("decline", "Declined"), ("cancel", "Cancelled")])
def test_the_outcome_of_a_url_is_what_the_client_says(ada: Client, action: str, text: str) -> None:
    task_id = suspended(ada, "sign_in")
    input_request = open_request(ada, task_id)

    assert ada.respond(input_request, {"action": "open"}).status == 202
    assert status(ada, task_id) == "input_required"
    assert ada.respond(input_request, {"action": action, "content": {"password": "1234"}}).status == 202
    assert outcome(ada, task_id) == ("completed", text)


@requirement("A-ELI-3")
def test_no_form_has_a_field_for_a_secret() -> None:
    with pytest.raises(TypeError, match="password cannot be asked for"):
        type("Login", (Form,), {"__annotations__": {"password": SecretStr}})


@requirement("A-SAM-4", "A-SAM-1")
def test_a_model_is_given_messages_a_limit_and_tools(ada: Client) -> None:
    plain, tooled = (open_request(ada, suspended(ada, tool)) for tool in ("muse", "forge"))

    assert [input_request["method"] for input_request in (plain, tooled)] == ["sampling/createMessage"] * 2
    assert {**plain["params"], "_meta": None} == {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Say something."}}],
        "maxTokens": 9,
        "_meta": None,
    }
    assert tooled["params"]["tools"] == [HAMMER]


@requirement("A-SAM-2")
def test_the_use_of_a_tool_is_followed_by_its_result(ada: Client) -> None:
    (input_request,) = ada.send_request("tools/call", {"name": "build"}).input_requests

    assert input_request["params"]["messages"][1:] == [
        {"role": "assistant", "content": [USED]},
        {"role": "user", "content": [RESULT]},
    ]


@requirement("A-SAM-2")
@pytest.mark.parametrize(
    "messages",
    [
        [Message("assistant", [USED])],
        [Message("assistant", [USED]), "And then?"],
        [Message("assistant", [USED]), Message("user", [RESULT, {"type": "text", "text": "And then?"}])],
        [Message("user", [RESULT])],
    ],
)
def test_what_no_model_would_take_is_not_asked(messages: Any) -> None:
    with pytest.raises(ValueError, match="results and nothing else"):
        Sample(messages, max_tokens=10)


@requirement("A-SAM-4")
@pytest.mark.parametrize(
    ("sampled", "text"),
    [
        (SAMPLED, "Splendid"),
        ({**SAMPLED, "content": [{"type": "text", "text": "A "}, USED, {"type": "text", "text": "roof"}]}, "A roof"),
        ({**SAMPLED, "content": [], "stopReason": None}, ""),
    ],
)
def test_a_model_says_one_thing_or_several(ada: Client, sampled: Any, text: str) -> None:
    task_id = suspended(ada, "forge")

    assert ada.respond(open_request(ada, task_id), sampled).status == 202
    assert outcome(ada, task_id) == ("completed", text)


@requirement("A-SAM-4", "A-ROOT-1", "A-INP-9")
@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("muse", {}),
        ("muse", {**SAMPLED, "model": None}),
        ("muse", {**SAMPLED, "role": "system"}),
        ("muse", {**SAMPLED, "content": "Splendid"}),
        ("muse", {**SAMPLED, "content": [{"text": "Splendid"}]}),
        ("muse", HOME),
        ("list_folders", {}),
        ("list_folders", {"roots": None}),
        ("list_folders", {"roots": {}}),
        ("list_folders", {"roots": ["file:///a"]}),
        ("list_folders", {"roots": [{"name": "a"}]}),
        ("list_folders", SAMPLED),
    ],
)
def test_what_no_model_or_folder_is_leaves_the_input_request_open(ada: Client, tool: str, answer: Any) -> None:
    task_id = suspended(ada, tool)
    input_request = open_request(ada, task_id)

    assert (ada.respond(input_request, answer).status, status(ada, task_id)) == (202, "input_required")
    assert open_request(ada, task_id)["id"] != input_request["id"]
    assert ada.respond(input_request, SAMPLED if tool == "muse" else HOME).status == 202


@requirement("A-ROOT-1")
def test_folders_are_asked_for_as_all_else_is(ada: Client) -> None:
    task_id = suspended(ada, "list_folders")
    input_request = open_request(ada, task_id)
    ada.respond(input_request, {"roots": [*HOME["roots"], {"uri": "file:///srv"}]})

    assert {**input_request, "id": None} == {
        "jsonrpc": "2.0",
        "id": None,
        "method": "roots/list",
        "params": {"_meta": {RELATED: {"taskId": task_id}}},
    }
    assert outcome(ada, task_id) == ("completed", "home at file:///home, nameless at file:///srv")


@requirement("A-ROOT-1", "A-INP-8")
def test_who_has_no_folders_after_all_says_so_by_an_error(ada: Client) -> None:
    task_id = suspended(ada, "list_folders")

    ada.respond(open_request(ada, task_id), error={"code": -32601, "message": "Roots not supported"})

    how, text = outcome(ada, task_id)
    assert (how, "Roots not supported" in text) == ("failed", True)


@requirement("A-ROOT-2")
def test_a_notification_of_changed_roots_is_accepted(harness: Harness, ada: Client) -> None:
    before = harness.kept()

    reply = ada.send_notification("notifications/roots/list_changed")

    assert (reply.status, reply.body, harness.kept()) == (202, "", before)


@requirement("A-LIFE-9", "A-TASK-21")
def test_who_cannot_be_asked_is_shown_the_task_as_ever(harness: Harness, ada: Client) -> None:
    other = able(harness, capabilities={"tasks": {}})
    task_id = suspended(ada)

    reply = tasks_get(other, task_id)

    assert (reply.streamed, reply.response["result"]["status"]) == (False, "input_required")
