"""A caller who lacks scopes is answered in both revisions with 403 and one challenge that names all that is needed."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.model import Failed, Returned
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.input_responses import YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client
from tests.protocol.rev_2026_07_28.client import ANSWERS, KNOWS_TASKS
from tests.protocol.scoped_features import ALL, SCOPED, STAGE

METADATA = "https://api.example/.well-known/oauth-protected-resource/mcp"
ABOUT, YEAR = {"name": "about", "value": ""}, {"name": "year", "value": "20"}
REQUESTS: list[tuple[str, dict[str, Any], str]] = [
    ("tools/call", {"name": "greet"}, "call"),
    ("tools/call", {"name": "transfer", "arguments": {"amount": 3}}, "call pay approve"),
    ("tools/call", {"name": "transfer", "arguments": {"amount": "not checked yet"}}, "call pay approve"),
    ("tools/call", {"name": "settle"}, "call pay"),
    ("tools/call", {"name": "task_result", "arguments": {"task_id": "t"}}, "read"),
    ("tools/call", {"name": "task_list"}, "read"),
    ("tools/call", {"name": "task_cancel", "arguments": {"task_id": "t"}}, "cancel"),
    ("resources/read", {"uri": "rules://all"}, "read"),
    ("resources/read", {"uri": "books://2026"}, "read books books:2026"),
    ("resources/read", {"uri": "books://20%2027"}, "read books books:20%2027"),
    ("prompts/get", {"name": "draft"}, "draft"),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "draft"}, "argument": ABOUT}, "draft"),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "books://{year}"}, "argument": YEAR}, "books"),
    ("tasks/get", {"taskId": "t"}, "read"),
    ("tasks/cancel", {"taskId": "t"}, "cancel"),
]


@pytest.fixture
def harness() -> Harness:
    made = Harness(SCOPED)
    made.change(scopes=STAGE, metadata_url=METADATA)
    return made


def granted(*scopes: str) -> Caller:
    """Return Ada with these scopes."""
    return replace(ADA, scopes=frozenset(scopes))


def able(revision: str, harness: Harness, caller: Caller) -> Either:
    """Return a client that can answer input requests."""
    if revision == "2026-07-28":
        return New(harness, caller, {**ANSWERS, **KNOWS_TASKS})
    old = Old(harness, caller)
    old.initialize({**ANSWERS, "tasks": {}})
    return old


def challenged(reply: Any) -> str:
    """Return the scopes that a 403 asks for, which its header and its error's data say alike."""
    assert reply.status == 403
    error = reply.message["error"]
    scope = error["data"]["scope"]
    challenge = f'Bearer error="insufficient_scope", scope="{scope}", resource_metadata="{METADATA}"'
    assert error["code"] == -31051
    assert reply.headers["www-authenticate"] == error["data"]["challenge"] == challenge
    return str(scope)


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("method", "params", "needed"), REQUESTS)
def test_a_challenge_names_every_scope_that_the_request_needs(
    harness: Harness, revision: str, method: str, params: dict[str, Any], needed: str
) -> None:
    assert challenged(client(revision, harness, ADA).send_request(method, params)) == needed


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("method", "params", "needed"), REQUESTS)
def test_a_caller_who_lacks_any_of_them_is_asked_for_all_of_them(
    harness: Harness, revision: str, method: str, params: dict[str, Any], needed: str
) -> None:
    for lacking in needed.split():
        caller = granted(*ALL - {lacking})
        assert challenged(client(revision, harness, caller).send_request(method, params)) == needed


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("method", "params", "needed"), REQUESTS)
def test_a_caller_who_has_them_is_served(
    harness: Harness, revision: str, method: str, params: dict[str, Any], needed: str
) -> None:
    caller = granted(*needed.split())
    assert client(revision, harness, caller).send_request(method, params).status == 200


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("method", "params", "needed"), REQUESTS)
def test_nobody_needs_scopes_where_there_is_no_authorization(
    harness: Harness, revision: str, method: str, params: dict[str, Any], needed: str
) -> None:
    assert client(revision, harness, ANONYMOUS).send_request(method, params).status == 200


@requirement("B-AUTH-2", "B-DUAL-13")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("method", "params", "needed"), REQUESTS)
def test_nobody_is_asked_for_a_scope_that_the_plan_of_the_tenant_leaves_out(
    harness: Harness, revision: str, method: str, params: dict[str, Any], needed: str
) -> None:
    *_, left_out = needed.split()
    harness.limit(scopes=frozenset(ALL - {left_out}))

    for caller in (granted(*ALL), granted()):
        reply = client(revision, harness, caller).send_request(method, params)

        assert (reply.status, "www-authenticate" in reply.headers) == (200, False)
        assert reply.error["code"] == -31050
        assert reply.error["message"] == f"This tenant's plan leaves out scopes: {left_out}."
        assert reply.error["data"] == {"reason": "scopes", "scope": left_out}


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_challenge_names_no_metadata_where_there_is_none(harness: Harness, revision: str) -> None:
    harness.change(metadata_url=None)
    reply = client(revision, harness, ADA).send_request("tools/call", {"name": "greet"})
    assert reply.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="call"'


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
def test_all_tools_are_listed_unless_the_stage_hides_those_that_a_caller_may_not_call(
    harness: Harness, revision: str
) -> None:
    harness.change(page_size=9)
    ada = client(revision, harness, granted("call", "pay"))
    listed = [tool["name"] for tool in ada.result("tools/list")["tools"]]
    harness.change(hides_tools=True)
    hidden = [tool["name"] for tool in ada.result("tools/list")["tools"]]

    assert (listed, hidden) == (["transfer", "settle", "greet"], ["settle", "greet"])


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
def test_hidden_built_in_tools_are_those_of_what_a_caller_may_not_do(harness: Harness, revision: str) -> None:
    harness.change(page_size=9, hides_tools=True)
    ada = client(revision, harness, granted("read"), knows_tasks=False)
    assert [tool["name"] for tool in ada.result("tools/list")["tools"]] == ["task_result", "task_list"]


@requirement("B-AUTH-2")
def test_a_subscription_needs_the_scopes_of_its_resource(harness: Harness) -> None:
    old, uri = client("2025-11-25", harness, ADA), {"uri": "books://2026"}
    assert challenged(old.send_request("resources/subscribe", uri)) == "read books books:2026"
    old.caller = granted("read", "books", "books:2026")
    assert client("2025-11-25", harness, old.caller).send_request("resources/subscribe", uri).status == 200


@requirement("B-AUTH-2")
def test_a_stream_of_changes_needs_the_scopes_of_all_its_resources(harness: Harness) -> None:
    wanted = {"notifications": {"resourceSubscriptions": ["rules://all", "books://2026", "books://2027", "no://such"]}}
    needed = "read books books:2026 books:2027"
    assert challenged(New(harness, ADA).send_request("subscriptions/listen", wanted)) == needed
    assert New(harness, granted(*needed.split())).send_request("subscriptions/listen", wanted).status == 200


@requirement("B-AUTH-2")
def test_a_list_of_tasks_and_a_result_need_the_scopes_for_reading(harness: Harness) -> None:
    old = client("2025-11-25", harness, ADA)
    assert challenged(old.send_request("tasks/list")) == "read"
    assert challenged(old.send_request("tasks/result", {"taskId": "t"})) == "read"


@requirement("B-AUTH-2")
def test_a_request_is_cancelled_with_the_scopes_for_cancelling_alone(harness: Harness) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
    assert challenged(client("2025-11-25", harness, ADA).post(message)) == "cancel"
    assert client("2025-11-25", harness, granted("cancel")).post(message).status == 202


@requirement("B-AUTH-2", "B-DUAL-13")
def test_a_notification_that_the_plan_leaves_out_has_an_http_error_and_no_challenge(harness: Harness) -> None:
    harness.limit(scopes=frozenset(ALL - {"cancel"}))
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}

    reply = client("2025-11-25", harness, granted(*ALL)).post(message)

    assert (reply.status, "www-authenticate" in reply.headers) == (403, False)
    assert reply.error["data"] == {"reason": "scopes", "scope": "cancel"}


@requirement("B-AUTH-2")
@pytest.mark.parametrize("lacking", ["answer", "pay"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_an_input_request_is_answered_with_the_scopes_of_its_tool(
    harness: Harness, revision: str, lacking: str
) -> None:
    task_id = able("2026-07-28", harness, granted(*ALL)).start("settle")
    harness.run(task_id)
    for _ in range(9):
        assert challenged(_answer(revision, harness, granted(*ALL - {lacking}), task_id)) == "answer pay"
    assert harness.tasks.get(ADA, task_id).open_input_requests

    _answer(revision, harness, granted("answer", "pay", "read"), task_id)
    ended = harness.tasks.outcome(ADA, task_id)
    assert isinstance(ended, Returned)
    assert ended.result["content"][0]["text"] == "settled: Accepted"


def _answer(revision: str, harness: Harness, caller: Caller, task_id: str) -> Any:
    if revision == "2026-07-28":
        params = {"taskId": task_id, "inputResponses": {"consent": YES}}
        return able(revision, harness, caller).send_request("tasks/update", params)
    old = able(revision, harness, caller)
    assert isinstance(old, Old)
    (input_request,) = old.send_request("tasks/result", {"taskId": task_id}).input_requests
    return old.respond(input_request, YES)


@requirement("B-AUTH-2")
def test_input_within_a_call_is_answered_with_the_scopes_for_answering(harness: Harness) -> None:
    params = {"name": "settle", "inputResponses": {"consent": YES}}
    assert challenged(New(harness, granted("call", "pay"), ANSWERS).send_request("tools/call", params)) == (
        "call pay answer"
    )


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_task_fails_in_words_if_its_tool_needs_more_when_its_run_starts(harness: Harness, revision: str) -> None:
    harness.change(features=_with_settle_needing("pay"))
    task_id = client(revision, harness, granted("call", "pay")).start("settle")
    harness.change(features=_with_settle_needing("pay", "audit"))
    harness.run(task_id)

    ended = harness.tasks.outcome(ADA, task_id)
    words = "settle needs the scopes pay audit, and the request that created this task had fewer."
    assert ended == Failed(code=-31051, message=words)
    read = client(revision, harness, granted("read")).send_request("tasks/get", {"taskId": task_id})
    assert (read.status, read.response["result"]["statusMessage"]) == (200, words)


@requirement("B-AUTH-2")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_suspended_task_fails_if_its_tool_needs_more_when_it_is_resumed(harness: Harness, revision: str) -> None:
    ada = able(revision, harness, granted(*ALL | {"audit"}))
    task_id = able(revision, harness, granted(*ALL)).start("settle")
    harness.run(task_id)
    harness.change(features=_with_settle_needing("audit"))
    _answer(revision, harness, ada.caller, task_id)

    assert isinstance(harness.tasks.outcome(ADA, task_id), Failed)


@requirement("B-AUTH-2")
def test_a_task_of_nobody_in_particular_needs_no_scopes(harness: Harness) -> None:
    task_id = New(harness, ANONYMOUS, {**ANSWERS, **KNOWS_TASKS}).start("settle")
    harness.run(task_id, ANONYMOUS)
    assert harness.tasks.get(ANONYMOUS, task_id).open_input_requests


def _with_settle_needing(*scopes: str) -> Features:
    return Features.of([replace(tool, scopes=scopes) for tool in SCOPED.tools if tool.name == "settle"])
