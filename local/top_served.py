"""What `make top` shows of a server whose state nobody else can read, such as `make serve`: what its caller has.

By the built-in tool `task_list`, which is there for callers that can be told apart, and reads.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final

from local.http_client import HttpClient
from local.printable import printable
from local.stage import Refused
from local.top_data import ERRORS_SHOWN, Frame, TenantRow
from local.top_records import Seen
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.limits.tenants import MAX_TASKS_PER_LIST
from mcp_tasks.wire.revisions import PACKAGES

CALLER: Final = "(you)"
LIVE: Final = ("working", "input_required")


def served(url: str, token: str | None) -> Callable[[], Frame]:
    """Return what reads the last tasks of the caller of a server; raises `Refused`."""
    newest = import_module(f"mcp_tasks.testing.{PACKAGES[0]}")
    client = newest.Client(HttpClient(url, token).send, sleep=lambda duration: time.sleep(duration.total_seconds()))

    def read() -> Frame:
        try:
            listed = client.call_tool("task_list", {"limit": MAX_TASKS_PER_LIST}).structured
        except McpError as error:
            raise Refused(f"The server at {url} lists no tasks: {printable(error.message)}") from None
        frame = frame_of(listed["tasks"], more="next_cursor" in listed, now=datetime.now(UTC))
        return replace(frame, left_out=listed.get("left_out", 0))

    return read


def frame_of(tasks: list[Mapping[str, Any]], *, more: bool, now: datetime) -> Frame:
    """Return a frame of tasks as they are listed."""
    counts = Counter(each["status"] for each in tasks)
    begun = [datetime.fromisoformat(each["created_at"]) for each in tasks if each["status"] in LIVE]
    failed = sorted((_failed(each) for each in tasks if each["status"] == "failed"), key=lambda each: each.at)
    row = TenantRow(
        name=CALLER,
        active=len(begun),
        running=counts["working"],
        queued=0,
        suspended=counts["input_required"],
        oldest=now - min(begun) if begun else None,
        requests=0,
    )
    return Frame(
        at=now,
        live=len(begun),
        more_tasks=more,
        behind=False,
        tenants=[row],
        more_tenants=0,
        rates={},
        errors=failed[-ERRORS_SHOWN:],
    )


def _failed(task: Mapping[str, Any]) -> Seen:
    # Not its status message, which a tool wrote.
    about = printable(f"a task failed: {task['tool']} {task['task_id']}"[:200])
    return Seen(at=datetime.fromisoformat(task["updated_at"]), tenant=CALLER, kinds=("failed",), error=about)
