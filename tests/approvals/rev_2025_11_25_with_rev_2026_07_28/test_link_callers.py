"""Whoever holds a link can do two things, of one approval; all else that its maker could do is refused."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.engine.current_call import noting
from mcp_tasks.security.scopes import INSUFFICIENT_SCOPE
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness
from mcp_tasks.testing.replies import Reply
from mcp_tasks.wire.rev_2025_11_25.methods import NAMES as OLD
from mcp_tasks.wire.rev_2026_07_28.methods import NAMES as NEW
from tests.approvals.people import ADA, CANNOT_BE_ASKED, FORM, GRACE, MALLORY, inbox

OLD_REVISION, NEW_REVISION = "2025-11-25", "2026-07-28"
METHODS = [*((OLD_REVISION, each) for each in sorted(OLD)), *((NEW_REVISION, each) for each in sorted(NEW))]
OTHER_TOOLS = ["approval_link", "refund", "ask_grace", "task_list", "task_result", "task_cancel", "no_tool", None]


def by_link(maker: Caller, approval: str) -> Caller:
    return Caller(tenant=maker.tenant, subject=maker.subject, approval=approval)


@pytest.fixture
def waiting(harness: Harness) -> Any:
    """Return what waits for grace, whom ada asks."""
    harness.client(NEW_REVISION, ADA, capabilities=CANNOT_BE_ASKED).start_task("ask_grace")
    (found,) = inbox(harness, GRACE, NEW_REVISION)
    return found


@pytest.fixture
def own_task(harness: Harness) -> str:
    """Return a task of grace's own."""
    return str(harness.client(NEW_REVISION, GRACE).start_task("ask_anyone").id)


def params_of(method: str, task: str) -> dict[str, Any]:
    """Return params by which grace would be served."""
    if method == "tools/call":
        return {"name": "ask_anyone", "arguments": {}}
    of_task = {"taskId": task, "inputResponses": {}} if method.startswith("tasks/") else {}
    return {**of_task, "uri": "approvals://inbox", "level": "debug", "notifications": {"taskIds": [task]}}


def linked(harness: Harness, revision: str, approval: str) -> Client:
    """Return a client with a link of grace's, in her own session where the revision has sessions."""
    client, hers = (harness.client(revision, each) for each in (by_link(GRACE, approval), GRACE))
    if revision == OLD_REVISION:
        hers.initialize()  # type: ignore[attr-defined]
        client.headers = hers.headers  # type: ignore[attr-defined]
    return client


def is_refused(reply: Reply) -> bool:
    return reply.status == 403 and reply.message["error"]["code"] == INSUFFICIENT_SCOPE


@pytest.mark.parametrize(("revision", "method"), METHODS)
def test_every_method_is_refused_that_is_no_call_of_the_two_tools(
    harness: Harness, waiting: Any, own_task: str, revision: str, method: str
) -> None:
    client: Any = linked(harness, revision, waiting["id"])
    send = client.send_notification if method.startswith("notifications/") else client.send_request

    with noting() as noted:
        reply = send(method, params_of(method, own_task))

    assert is_refused(reply), reply
    assert noted["reason"] == "link"
    assert len(inbox(harness, GRACE, NEW_REVISION)) == 2


@pytest.mark.parametrize("revision", [OLD_REVISION, NEW_REVISION])
@pytest.mark.parametrize("name", OTHER_TOOLS)
def test_every_other_tool_is_refused(harness: Harness, waiting: Any, own_task: str, revision: str, name: Any) -> None:
    arguments = {"task_id": own_task} if name in ("task_result", "task_cancel") else {}
    client: Any = linked(harness, revision, waiting["id"])

    reply = client.send_request("tools/call", {"name": name, "arguments": arguments}, mcp_name=name)

    assert is_refused(reply), reply


@pytest.mark.parametrize("http", ["GET", "DELETE"])
def test_no_stream_and_no_session_is_its(harness: Harness, waiting: Any, http: str) -> None:
    client: Any = linked(harness, OLD_REVISION, waiting["id"])

    assert is_refused(client.send(http, accept="text/event-stream"))
    assert client.headers["mcp-session-id"]
    hers: Any = harness.client(OLD_REVISION, GRACE)
    hers.headers = client.headers
    assert hers.send_request("tools/list").status == 200


@pytest.mark.parametrize("message", [[], [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]])
def test_a_batch_is_refused(harness: Harness, waiting: Any, message: Any) -> None:
    client: Any = linked(harness, OLD_REVISION, waiting["id"])

    assert is_refused(client.post(message))


@pytest.mark.parametrize("more", [{"task": {}}, {"requestState": "x"}, {"inputResponses": {}}, {"else": 1}])
def test_the_two_tools_are_called_with_their_arguments_alone(harness: Harness, waiting: Any, more: Any) -> None:
    client: Any = linked(harness, NEW_REVISION, waiting["id"])

    assert is_refused(client.send_request("tools/call", {"name": "approval_list", "arguments": {}, **more}))


def test_a_revision_with_sessions_serves_no_links(harness: Harness, waiting: Any) -> None:
    client: Any = linked(harness, OLD_REVISION, waiting["id"])

    assert is_refused(client.send_request("tools/call", {"name": "approval_list", "arguments": {}}))


def test_its_one_approval_is_shown_and_no_other(harness: Harness, waiting: Any, own_task: str) -> None:
    client = linked(harness, NEW_REVISION, waiting["id"])
    other = next(each for each in inbox(harness, GRACE, NEW_REVISION) if each["id"] != waiting["id"])

    assert client.call_tool("approval_list").structured == {"approvals": [waiting], "next_cursor": None}
    assert client.call_tool("approval_list", {"id": waiting["id"]}).structured["approvals"] == [waiting]
    never = f"{other['id'][:-1]}{'0' if other['id'][-1] != '0' else '1'}"
    for tool, more in (("approval_list", {}), ("approval_decide", {"action": "accept", "content": FORM})):
        known, unknown = (client.call_tool(tool, {"id": each, **more}) for each in (other["id"], never))
        assert known.is_error
        assert known.text.replace(other["id"], "ID") == unknown.text.replace(never, "ID")
    assert len(inbox(harness, GRACE, NEW_REVISION)) == 2


@pytest.mark.parametrize("channel", ["link", "approval_decide"])
def test_it_decides_as_who_had_it_made_and_once(harness: Harness, waiting: Any, channel: str) -> None:
    client = linked(harness, NEW_REVISION, waiting["id"])
    decides = client if channel == "link" else harness.client(NEW_REVISION, GRACE)
    with noting() as noted:
        assert not decides.call_tool(
            "approval_decide", {"id": waiting["id"], "action": "accept", "content": FORM}
        ).is_error

    (decided,) = (fields for (event, _), fields in noted.happened.items() if event == "approval.decided")
    assert decided["channel"] == channel
    # By the same answer, too: who has the link now may be somebody else, and is not told that theirs counts.
    late, same = {"action": "decline"}, {"action": "accept", "content": FORM}
    for tool, more in (("approval_decide", late), ("approval_decide", same), ("approval_list", {})):
        with noting() as noted:
            refused = client.call_tool(tool, {"id": waiting["id"], **more})
        assert refused.is_error
        assert refused.text.startswith("grace has decided this already, at 20")
        assert {event for event, _ in noted.happened} == {"request.refused"}
        assert noted["reason"] == "decided_already"


def test_a_link_is_of_its_tenant_alone(harness: Harness, waiting: Any) -> None:
    client = linked(harness, NEW_REVISION, waiting["id"])
    foreign = harness.client(NEW_REVISION, by_link(MALLORY, waiting["id"]))

    assert not client.call_tool("approval_list").is_error
    assert foreign.call_tool("approval_list").text.startswith("Nothing ")
    assert foreign.call_tool("approval_decide", {"id": waiting["id"], "action": "decline"}).is_error


def test_it_has_the_scopes_of_those_who_answer_unless_the_plan_leaves_them_out(harness: Harness, waiting: Any) -> None:
    server = harness.server
    harness.server = replace(server, scopes=replace(server.scopes, answer=("answer",)))
    client: Any = linked(harness, NEW_REVISION, waiting["id"])
    assert not client.call_tool("approval_list").is_error

    plans = FixedPlans(plan=Plan(scopes=frozenset()))
    harness.server = replace(harness.server, admission=replace(server.admission, plans=plans))

    reply = client.send_request("tools/call", {"name": "approval_list", "arguments": {}})
    assert reply.message["error"]["data"]["reason"] == "scopes"
