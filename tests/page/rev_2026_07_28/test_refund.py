"""A refund takes two people: ada asks by a client that can be asked nothing, and grace approves in the console.

On the emulator, with tokens, from the call to the export that auditors prove.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from local.emulator import EXAMPLES
from local.stack import Stack, running_stack
from mcp_tasks import Caller
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.security.links import Links
from mcp_tasks.security.signing import Signer
from mcp_tasks.testing.client import Task
from mcp_tasks.testing.rev_2026_07_28 import TASKS
from tests.page.conftest import Driven
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.stack.audited import anchor, audit, records_in
from tests.timeout import until

pytestmark = pytest.mark.slow

REASON, AMOUNT = "It never came.", "4711.25"
REFUNDED = f"Order A7 is refunded: {AMOUNT}, by grace."
ROLES = ["finance"]
"""Of both: it is not for want of a role that ada is refused."""

CHANGES = ["task.created", "task.started", "task.asked", "task.answered", "task.started", "task.finished"]
LAST = {"request.refused", "approval.decided", "task.finished"}
"""Of each function that writes audit records, the last."""

REFUSED = {("ada", "own_approval"), ("grace", "expired_link")}
"""By the endpoint, and by the authorizer."""

LIST = {"name": "approval_list", "arguments": {}}


@pytest.fixture
def stack() -> Iterator[Stack]:
    with running_stack(app=EXAMPLES, tools="examples") as stack:
        yield stack


def test_ada_asks_and_is_refused_and_grace_approves_in_the_console_and_auditors_are_told(
    stack: Stack, driven: Driven, tmp_path: Path
) -> None:
    tokens = {name: stack.token("acme", name, roles=ROLES) for name in ("ada", "grace")}
    ada, grace = (client(stack.url, token, capabilities=TASKS) for token in tokens.values())
    task = ada.start_task("refund", {"order": "A7", "reason": REASON})
    waiting = until(lambda: listed(grace), pause=0.2)
    assert (task.status, task.status_message) == ("working", "Waits for an answer of role finance.")
    refused = ada.call_tool("approval_decide", {"id": waiting["id"], "action": "accept", "content": {"amount": 99}})
    assert (refused.is_error, "You asked this yourself" in refused.text) == (True, True)

    refuse_links(stack, driven, grace, waiting["id"])

    seen = driven("approves", stack.url.removesuffix("mcp"), given={**tokens, "task": task.id, "amount": AMOUNT})

    assert (seen["to_ada"], seen["approvals_of_ada"]) == ("Nothing waits for you.", 0)
    assert all(each in seen["to_grace"] for each in ("Refund order A7?", "ada asks for", REASON, "role finance"))
    assert REFUNDED in seen["result"]
    assert listed(grace) is None
    assert task.result.text == REFUNDED
    prove(stack, tmp_path / "export", task)


def refuse_links(stack: Stack, driven: Driven, grace: Client, approval: str) -> None:
    """Find that a link is good until it expires, and that none is made which would decide without a login."""
    made = grace.call_tool("approval_link", {"id": approval}).structured
    assert (made["link"].rpartition("/")[2], made["until"]) == (quote(approval, safe=""), None)
    assert made["link"].startswith("http")
    good, over = (signed_link(stack, approval, lasts=timedelta(hours=each)) for each in (1, -1))
    shown = client(stack.url, good).send_request("tools/call", LIST)
    assert shown.message["result"]["structuredContent"]["approvals"][0]["id"] == approval
    assert client(stack.url, good).send_request("tools/list").status == 403
    for each in (over, f"{good[:-2]}AA", f"{over[:-2]}AA"):
        assert client(stack.url, each).send_request("tools/call", LIST).status == 401
    seen = driven("over", stack.url.removesuffix("mcp"), given={"link": f"#/link/{over}"})
    assert (seen["says"], seen["approvals"]) == ("This link is over: sign in to decide.", 0)


def signed_link(stack: Stack, approval: str, *, lasts: timedelta) -> str:
    """Return a link of grace's as the stack signs them, for what the tool would make none for."""
    clock = SystemClock()
    keys = DynamoKeys(Table(client=stack.client("dynamodb"), name=stack.outputs["TableName"], clock=clock))
    grace = Caller(tenant="acme", subject="grace")
    return Links(signer=Signer(keys=keys, clock=clock)).make(grace, approval, clock.now() + lasts)


def refusals(records: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Return who was refused, and why."""
    return {(each["subject"], each["reason"]) for each in records if each["event"] == "request.refused"}


def listed(approver: Client) -> Any:
    """Return the one approval that waits for somebody, or None."""
    found = approver.call_tool("approval_list").structured["approvals"]
    assert len(found) <= 1
    return found[0] if found else None


def prove(stack: Stack, export: Path, task: Task) -> None:
    """Find all of it in an export that proves, and nothing of what was asked and answered."""

    def exported() -> list[dict[str, Any]] | None:
        anchor(stack)
        done = audit(stack, "--export", str(export))
        assert (done.returncode, "Proven: " in done.stdout) == (0, True), done.stdout + done.stderr
        found = records_in(export)
        return found if {each["event"] for each in found} >= LAST and refusals(found) >= REFUSED else None

    records = until(exported, within=120, pause=1)
    assert audit(stack, "--check", str(export)).returncode == 0
    of_task = [each for each in records if each.get("task") == task.id]
    (decided,) = (each for each in of_task if each["event"] == "approval.decided")
    told = {name: decided[name] for name in ("subject", "channel", "action", "is_over")}
    assert told == {"subject": "grace", "channel": "approval_decide", "action": "accept", "is_over": True}
    # Grace holds the link that is refused what is more than its one approval.
    assert refusals(records) == REFUSED | {("grace", "link")}
    assert {each["outcome"] for each in of_task if each["event"] == "task.finished"} == {"returned"}
    # There may be two records of one event, and of one version several events.
    changes = {(each["version"], each["event"]) for each in of_task if each["event"] in CHANGES}
    assert [event for _, event in sorted(changes)] == CHANGES
    text = export.read_text()
    assert not any(each in text for each in (REASON, "order A7", AMOUNT, REFUNDED))
