"""A client of revision 2026-07-28 in one process with its server, whose time and work the test controls."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Final

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing import rev_2026_07_28
from mcp_tasks.testing.client import RESPONDS
from mcp_tasks.testing.replies import Reply
from mcp_tasks.testing.rev_2026_07_28 import (
    ABLE,
    CAPABILITIES,
    CLIENT,
    LEFT_OUT,
    SERVER,
    VERSION,
    as_header,
    routing_headers,
    without_server_info,
)
from mcp_tasks.testing.rev_2026_07_28 import EXTENSION as TASKS
from mcp_tasks.testing.rev_2026_07_28 import REVISION as NAME
from mcp_tasks.testing.rev_2026_07_28 import TASKS as KNOWS_TASKS
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.rev_2026_07_28.checked import Checked

__all__ = [
    "ABLE",
    "ANSWERS",
    "CAPABILITIES",
    "CLIENT",
    "KNOWS_TASKS",
    "LEFT_OUT",
    "LOG_LEVEL",
    "NAME",
    "SERVER",
    "SUBSCRIPTION",
    "TASKS",
    "VERSION",
    "Client",
    "as_header",
    "routing_headers",
    "without_server_info",
]

LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"
ANSWERS: Final = RESPONDS


class Client(rev_2026_07_28.Client):
    """The client of one caller, whose responses are validated; tasks run while a request waits for them."""

    def __init__(
        self,
        harness: Harness,
        caller: Caller = ADA,
        capabilities: Mapping[str, Any] = ABLE,
        checked: type[Checked] = Checked,
    ) -> None:
        self.harness = harness
        self.caller = caller
        self.checked = checked(lambda request: handle(harness.server, request, caller))
        super().__init__(self.checked, capabilities)

    def start(self, tool: str = "ponder", /, **arguments: Any) -> str:
        """Call a tool that becomes a task and return the task's id."""
        return super().start(tool, **arguments or ({"question": "why?"} if tool == "ponder" else {}))

    def send_request(
        self, method: str, params: Any = None, *, id: Any = None, meta: Any = None, **headers: Any
    ) -> Reply:
        # A call without tasks waits for the result, and an input response resumes its task: the tool runs meanwhile.
        declared = (meta or {}).get(CAPABILITIES, self.capabilities)
        knows_tasks = isinstance(declared, dict) and "extensions" in declared
        waits = method == "tasks/update" or (method == "tools/call" and not knows_tasks)
        with self.harness.at_work() if waits else nullcontext():
            return super().send_request(method, params, id=id, meta=meta, **headers)
