"""Who may decide an approval may have a link to it made; where a login is needed, the link has no secret."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from mcp_tasks import Caller
from mcp_tasks.audit.chain import FIELDS
from mcp_tasks.engine.current_call import noting
from mcp_tasks.security.links import LinkExpired, Links
from mcp_tasks.testing.client import ToolResult
from mcp_tasks.testing.harness import Harness
from tests.approvals.people import ADA, BOB, CANNOT_BE_ASKED, FINANCIAL_ADA, GRACE, MALLORY, decide, inbox


def waiting(harness: Harness, revision: str, tool: str = "ask_grace", **arguments: Any) -> Any:
    harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task(tool, arguments)
    (found,) = inbox(harness, GRACE, revision)
    return found


def link(harness: Harness, revision: str, caller: Caller, approval: str, **more: Any) -> ToolResult:
    return harness.client(revision, caller).call_tool("approval_link", {"id": approval, **more})


def links(harness: Harness) -> Links:
    return Links(signer=harness.server.signer)


def test_a_link_is_of_its_maker_for_its_approval_until_its_time_is_over(harness: Harness, revision: str) -> None:
    asked = waiting(harness, revision, "ask_anyone")
    with noting() as noted:
        made = link(harness, revision, GRACE, asked["id"], hours=2).structured

    address, _, secret = made["link"].rpartition("/")
    assert address == "#/link"
    held = links(harness).read(secret)
    assert (held.tenant, held.subject, held.approval) == ("acme", "grace", asked["id"])
    assert held.until == datetime.fromisoformat(made["until"])
    left = datetime.fromisoformat(made["until"]) - harness.clock.now()
    assert timedelta(minutes=119) < left <= timedelta(hours=2)
    (told,) = [fields for (event, _), fields in noted.happened.items() if event == "approval.linked"]
    assert (told["until"], {*told}) == (made["until"], {"task", "shown", "until"})
    assert {*told} <= {*FIELDS}

    harness.clock.advance(timedelta(hours=2, seconds=1))
    with pytest.raises(LinkExpired):
        links(harness).read(secret)


def test_no_host_makes_a_link_unasked_as_it_may_read(harness: Harness, revision: str) -> None:
    listed = harness.client(revision, GRACE).request("tools/list", {})["tools"]
    hints = {each["name"]: each["annotations"] for each in listed if each["name"].startswith("approval_")}
    reads = {name: each["readOnlyHint"] for name, each in hints.items()}

    assert reads == {"approval_list": True, "approval_decide": False, "approval_link": False}


def test_no_link_outlasts_what_it_is_for(harness: Harness, revision: str) -> None:
    asked = waiting(harness, revision)

    assert link(harness, revision, GRACE, asked["id"], hours=24).structured["until"] <= asked["deadline"]


@pytest.mark.parametrize("caller", [ADA, FINANCIAL_ADA, BOB, MALLORY])
def test_nobody_else_is_made_a_link(harness: Harness, revision: str, caller: Caller) -> None:
    asked = waiting(harness, revision)

    result = link(harness, revision, caller, asked["id"])

    assert (result.is_error, result.text.startswith("Nothing ")) == (True, True)


@pytest.mark.parametrize("hours", [0, 25, -1, True, 1.5, "2", None])
def test_a_link_is_good_for_a_day_at_most(harness: Harness, revision: str, hours: Any) -> None:
    asked = waiting(harness, revision)

    assert "hours" in link(harness, revision, GRACE, asked["id"], hours=hours).text


@pytest.mark.parametrize(("tool", "arguments"), [("refund", {"order": "A7"}), ("pay", {"amount": 7})])
def test_where_a_login_is_needed_a_link_has_no_secret(
    harness: Harness, revision: str, tool: str, arguments: dict[str, Any]
) -> None:
    asked = waiting(harness, revision, tool, **arguments)

    made = link(harness, revision, GRACE, asked["id"]).structured

    assert (made["link"], made["until"]) == (f"#/inbox/{quote(asked['id'], safe='')}", None)


def test_who_acts_for_somebody_is_made_no_secret_since_a_decision_by_it_would_not_say_so(
    harness: Harness, revision: str
) -> None:
    asked = waiting(harness, revision)

    made = link(harness, revision, replace(GRACE, actor={"sub": "agent"}), asked["id"]).structured

    assert (made["link"], made["until"]) == (f"#/inbox/{quote(asked['id'], safe='')}", None)


def test_what_was_decided_has_no_link_any_more(harness: Harness, revision: str) -> None:
    asked = waiting(harness, revision)
    decide(harness, GRACE, revision, asked["id"], "decline")

    result = link(harness, revision, GRACE, asked["id"])

    assert (result.is_error, result.text.startswith("grace has decided this already")) == (True, True)
