"""Callers whose names are almost those of the people who may decide: to them it looks like nothing."""

from dataclasses import replace

import pytest

from mcp_tasks import Caller
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import CANNOT_BE_ASKED, FORM, decide, inbox
from tests.attacks.identities import OWNER, STRANGERS

ROLES = {
    "in capitals": "Finance",
    "a longer name": "finances",
    "a beginning": "financ",
    "with a space behind": "finance ",
    "with the separator": "finance#",
    "with what is before it": "role:finance",
    "quoted": "%66inance",
    "with a Cyrillic letter": "fin\u0430nce",
    "with a zero-width space": "fin\u200bance",
    "any": "*",
    "none": "",
    "anyone": "anyone",
    "too long for a key": "finance" * 100,
    "no Unicode": "finance\ud800",
}
APPROVER = Caller(tenant=OWNER.tenant, subject="grace", roles=frozenset({"finance"}))


def others() -> dict[str, Caller]:
    """Return strangers to the tenant, with the role, and subjects of it without, or with almost the same."""
    found = {
        what: each if each.tenant == OWNER.tenant else replace(each, roles=APPROVER.roles)
        for what, each in STRANGERS.items()
    }
    return found | {f"role: {what}": replace(APPROVER, roles=frozenset({role})) for what, role in ROLES.items()}


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_others_decide_looks_like_what_never_was(harness: Harness, revision: str) -> None:
    task = harness.client(revision, OWNER, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, APPROVER, revision)
    unknown = waiting["id"][:-8] + "0" * 8

    for what, stranger in others().items():
        known, none = (
            decide(harness, stranger, revision, each, "accept", content=FORM) for each in (waiting["id"], unknown)
        )
        assert inbox(harness, stranger, revision) == [], what
        assert known.is_error, what
        assert known.text.replace(waiting["id"], "ID") == none.text.replace(unknown, "ID"), what

    assert task.status == "working"
    assert inbox(harness, APPROVER, revision) == [waiting]
    assert not decide(harness, APPROVER, revision, waiting["id"], "accept", content=FORM).is_error


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_id_may_be_any_text(harness: Harness, revision: str) -> None:
    harness.client(revision, OWNER, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, APPROVER, revision)
    place = waiting["id"].rpartition("#")[2]
    ids = [
        "",
        "#",
        "role:finance",
        "role:finance#",
        f"#{place}",
        f"anyone#{place}",
        place,
        "../x",
        "x" * 5_000,
    ]

    for each in ids:
        refused = decide(harness, APPROVER, revision, each, "accept", content=FORM)
        assert refused.is_error, each
        assert refused.text.startswith("Nothing "), each

    assert inbox(harness, APPROVER, revision) == [waiting]


@pytest.mark.parametrize("revision", REVISIONS)
def test_who_cannot_be_told_apart_has_no_inbox(harness: Harness, revision: str) -> None:
    anonymous = Caller(tenant="anonymous", subject="anonymous", identified=False)
    harness.client(revision, anonymous, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    client = harness.client(revision, anonymous, capabilities=CANNOT_BE_ASKED)

    listed = [tool["name"] for tool in client.request("tools/list", {})["tools"]]

    assert "refund" in listed
    assert not {"approval_list", "approval_decide"} & {*listed}
    assert inbox(harness, anonymous, revision) == []


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("cursor", ["x", "0", "1767268800000-", "~", "1767268800000-" + "0" * 32 + "\n"])
def test_a_cursor_that_no_page_has_is_refused(harness: Harness, revision: str, cursor: str) -> None:
    client = harness.client(revision, APPROVER)

    refused = client.call_tool("approval_list", {"cursor": cursor})

    assert refused.is_error
    assert "list again from the start" in refused.text
