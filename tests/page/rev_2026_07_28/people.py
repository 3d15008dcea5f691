"""The people of these tests: whoever opens the console, and others, who call the same server by other clients."""

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, unquote

from local.http_server import Head
from local.serve import HERE
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.rev_2026_07_28 import TASKS
from tests.page.rev_2026_07_28.payloads import PAYLOADS
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.timeout import until

YOU = replace(HERE, roles=frozenset({"finance", *PAYLOADS}))
OPERATORS = {"tenant": YOU.tenant}
ASKER = "ada"

Ask = tuple[str, dict[str, Any]]
"""A tool that asks others, and its arguments."""


def admit(head: Head) -> Caller:
    """Return who a request says that it is from, any name; the console says nothing, and is opened by `YOU`."""
    name = unquote(head.headers.get("authorization", "").removeprefix("Bearer "))
    return replace(YOU, subject=name) if name else YOU


def ask(url: str, *asks: Ask) -> None:
    """Have another person start tasks by a client that can be asked nothing, until all of them wait for an answer."""
    asker, approver = (client(url, quote(name) or None, capabilities=TASKS) for name in (ASKER, ""))
    for tool, arguments in asks:
        before = _waiting(approver)
        asker.start_task(tool, arguments)
        until(partial(_is_longer, approver, before))


def _is_longer(approver: Client, before: int) -> bool:
    return _waiting(approver) > before


def _waiting(approver: Client) -> int:
    page = approver.call_tool("approval_list").structured
    waiting = len(page["approvals"])
    while page["next_cursor"] is not None:
        page = approver.call_tool("approval_list", {"cursor": page["next_cursor"]}).structured
        waiting += len(page["approvals"])
    return waiting
