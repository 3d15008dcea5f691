"""A client of revision 2025-11-25 in one process with its server, whose time and work the test controls."""

from collections.abc import Mapping
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing import rev_2025_11_25
from mcp_tasks.testing.replies import Reply
from mcp_tasks.testing.rev_2025_11_25 import REVISION
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.checked import Checked


class Client(rev_2025_11_25.Client):
    """The client of one caller, whose responses are validated; tasks run while a request waits for them."""

    def __init__(
        self, harness: Harness, caller: Caller = ADA, version: str = REVISION, checked: type[Checked] = Checked
    ) -> None:
        self.harness = harness
        self.caller = caller
        self.checked = checked(lambda request: handle(harness.server, request, self.caller), harness.event_ids)
        super().__init__(self.checked, version=version, sleep=self._sleep)

    def _sleep(self, duration: timedelta) -> None:
        """Let time pass before a stream is resumed, and what happens meanwhile."""
        waiter, until = self.harness.waiter, self.harness.clock.now() + duration
        while (left := until - self.harness.clock.now()) > timedelta():
            self.harness.clock.sleep(min(left, waiter.pace))
            waiter.meanwhile()

    def start(self, tool: str = "ponder", /, _meta: Mapping[str, Any] | None = None, **arguments: Any) -> str:
        """Call a tool as a task and return the task's id."""
        return super().start(tool, _meta, **arguments or ({"question": "why?"} if tool == "ponder" else {}))

    def send_request(self, method: str, params: Any = None, *, id: Any = None, **headers: str | None) -> Reply:
        # The call waits for the result, so the tool has to run meanwhile.
        waits = method == "tools/call" and isinstance(params, dict) and params.get("task") is None
        with self.harness.at_work() if waits else nullcontext():
            return super().send_request(method, params, id=id, **headers)

    def post(self, message: Any, **headers: str | None) -> Reply:
        # A response resumes the task that waits for it.
        is_response = isinstance(message, dict) and "method" not in message
        with self.harness.at_work() if is_response else nullcontext():
            return super().post(message, **headers)
