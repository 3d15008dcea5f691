"""What auditors are told of requests, in both revisions: every reason for which one is refused, and every read."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import mcp_tasks
from mcp_tasks.engine.current_call import Noted, noting
from mcp_tasks.tasks.hashing import hashed
from tests.kit import ADA, BOB
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Old, client
from tests.protocol.scoped_features import SCOPED, STAGE

NOBODYS = "nobody's task"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A request that is refused for a reason, once `first` has happened and so many are `served`."""

    reason: str
    method: str = "tools/list"
    params: dict[str, Any] = field(default_factory=dict)
    first: Callable[[Harness], object] = lambda harness: None
    served: int = 0
    revisions: tuple[str, ...] = REVISIONS


def limited(**fields: Any) -> Callable[[Harness], object]:
    return lambda harness: harness.limit(subject_share=1, **fields)


OLD, NEW = ("2025-11-25",), ("2026-07-28",)
CALL = {"name": "ponder", "arguments": {"question": "why?"}, "task": {}}
TASK_RESULT = {"name": "task_result", "arguments": {"task_id": NOBODYS}}
REFUSED = [
    Refused(reason="requests_per_second", first=limited(requests_per_second=0.001, burst=1), served=1),
    Refused(reason="tenant_suspended", first=limited(suspended=True)),
    Refused(reason="too_many_tasks", method="tools/call", params=CALL, first=limited(active_tasks=0)),
    Refused(reason="bytes_per_day", method="tools/call", params=CALL, first=limited(bytes_per_day=0)),
    Refused(reason="arguments_bytes", method="tools/call", params=CALL, first=limited(arguments_bytes=1)),
    Refused(reason="unknown_task", method="tasks/get", params={"taskId": NOBODYS}),
    Refused(reason="unknown_task", method="tasks/cancel", params={"taskId": NOBODYS}),
    Refused(reason="unknown_task", method="tasks/result", params={"taskId": NOBODYS}, revisions=OLD),
    Refused(reason="unknown_task", method="tools/call", params=TASK_RESULT),
    Refused(
        reason="unknown_task",
        method="subscriptions/listen",
        params={"notifications": {"taskIds": [NOBODYS]}},
        revisions=NEW,
    ),
    Refused(reason="operators_only", method="tools/call", params={"name": "tenant_list"}),
]


def events(noted: Noted, name: str) -> list[dict[str, Any]]:
    return [dict(fields) for (event, _), fields in noted.happened.items() if event == name]


@pytest.mark.parametrize(
    ("revision", "refused"),
    [(revision, each) for each in REFUSED for revision in each.revisions],
    ids=lambda each: each if isinstance(each, str) else f"{each.reason} {each.method}",
)
def test_a_refusal_is_told_to_auditors_by_its_reason(harness: Harness, revision: str, refused: Refused) -> None:
    ada = client(revision, harness, ADA)
    refused.first(harness)
    for _ in range(refused.served):
        ada.result("tools/list")
    with noting() as noted:
        ada.send_request(refused.method, refused.params)

    assert events(noted, "request.refused") == [{"reason": refused.reason}]
    assert noted["reason"] == refused.reason
    assert NOBODYS not in str(noted.happened)
    assert events(noted, "task.read") == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_caller_without_the_scopes_is_refused_as_one_and_where_no_token_has_them_too(revision: str) -> None:
    harness = Harness(SCOPED)
    harness.change(scopes=STAGE)
    ada = client(revision, harness, ADA)
    with noting() as lacking:
        ada.send_request("tools/call", {"name": "greet"})
    harness.limit(scopes=frozenset())
    with noting() as withheld:
        ada.send_request("tools/call", {"name": "greet"})

    assert events(lacking, "request.refused") == [{"reason": "insufficient_scope"}]
    assert events(withheld, "request.refused") == [{"reason": "scopes"}]


@pytest.mark.parametrize("revision", REVISIONS)
def test_somebody_elses_task_is_refused_as_an_unknown_one_and_not_read(harness: Harness, revision: str) -> None:
    task_id = client(revision, harness, ADA).start()
    with noting() as noted:
        client(revision, harness, BOB).send_request("tasks/get", {"taskId": task_id})

    assert events(noted, "request.refused") == [{"reason": "unknown_task"}]
    assert events(noted, "task.read") == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_read_says_whether_the_outcome_was_read(harness: Harness, revision: str) -> None:
    ada = client(revision, harness, ADA)
    task_id = ada.start()
    with noting() as live:
        ada.send_request("tasks/get", {"taskId": task_id})
    harness.run(task_id)
    with noting() as ended:
        ada.send_request("tasks/result" if revision in OLD else "tasks/get", {"taskId": task_id})

    assert events(live, "task.read") == [{"task": task_id, "outcome_read": False}]
    assert events(ended, "task.read") == [{"task": task_id, "outcome_read": True}]
    assert events(live, "request.refused") == events(ended, "request.refused") == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_of_tasks_is_read_by_one_record_whatever_is_on_it(harness: Harness, revision: str) -> None:
    ada = client(revision, harness, ADA)
    for _ in range(2):
        ada.start()
    with noting() as by_tool:
        ada.send_request("tools/call", {"name": "task_list", "arguments": {}})
    with noting() as by_method:
        ada.send_request("tasks/list", {})

    assert dict(by_tool.happened) == {("tasks.listed", ""): {}}
    assert events(by_method, "tasks.listed") == ([{}] if revision in OLD else [])


def test_a_session_is_opened_and_is_unknown_once_it_has_ended(harness: Harness) -> None:
    ada = Old(harness)
    with noting() as opened:
        ada.initialize({"tasks": {}})
    session = ada.headers["mcp-session-id"]
    assert events(opened, "session.opened") == [{"session": hashed(session)}]
    assert session not in str(opened.happened)

    with noting() as lost:
        Old(harness, BOB).send_request("tools/list", {}, **{"mcp-session-id": session})
    assert events(lost, "request.refused") == [{"reason": "unknown_session"}]


def test_no_reason_is_noted_for_operators_alone() -> None:
    package = Path(mcp_tasks.__file__).parent
    calls = [
        (path.name, keyword.arg)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "note"
        for keyword in node.keywords
    ]

    assert [path for path, field in calls if field == "reason"] == ["current_call.py"]
    assert len(calls) > 3
