"""The people of the tests, and what they do by the tools of the inbox."""

from typing import Any

from mcp_tasks import Caller
from mcp_tasks.testing.client import Client, ToolResult
from mcp_tasks.testing.harness import Harness

FINANCE = frozenset({"finance", "staff"})
ADA = Caller(tenant="acme", subject="ada")
FINANCIAL_ADA = Caller(tenant="acme", subject="ada", roles=FINANCE)
GRACE = Caller(tenant="acme", subject="grace", roles=FINANCE)
HEIDI = Caller(tenant="acme", subject="heidi", roles=FINANCE)
BOB = Caller(tenant="acme", subject="bob", roles=frozenset({"legal"}))
MALLORY = Caller(tenant="rival", subject="grace", roles=FINANCE)

CANNOT_BE_ASKED: dict[str, Any] = {}
"""The capabilities of a client that supports no input request."""

FORM = {"amount": 7}


def inbox(harness: Harness, caller: Caller, revision: str) -> list[Any]:
    """Return all that waits for somebody."""
    return listed(harness.client(revision, caller, capabilities=CANNOT_BE_ASKED))


def listed(client: Client) -> list[Any]:
    """Return what a client's user is shown, page by page."""
    found, cursor = [], None
    while True:
        page = client.call_tool("approval_list", {} if cursor is None else {"cursor": cursor}).structured
        found += page["approvals"]
        if (cursor := page["next_cursor"]) is None:
            return found


def decide(harness: Harness, caller: Caller, revision: str, approval: str, action: str, **more: Any) -> ToolResult:
    """Return the result of a decision."""
    client = harness.client(revision, caller, capabilities=CANNOT_BE_ASKED)
    return client.call_tool("approval_decide", {"id": approval, "action": action, **more})
