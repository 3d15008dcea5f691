"""The vocabulary of tests of the deployed server: start a tool as a task, advance the time, read the result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing import rev_2025_11_25, rev_2026_07_28
from mcp_tasks.testing.client import FINAL, RESPONDS, NoResult, Responder, ToolResult
from tests.harness.gateway import Gateway
from tests.harness.harness import Harness
from tests.kit import ADA
from tests.protocol.rev_2025_11_25 import checked as checked_2025
from tests.protocol.rev_2026_07_28 import checked as checked_2026


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedTask:
    """One task, as its caller sees it; every property asks the server.

    It asks as an `onlooker`, a client without capabilities: otherwise each read would deliver the input requests.
    """

    id: str
    client: rev_2025_11_25.Client
    onlooker: rev_2025_11_25.Client
    by_key: rev_2026_07_28.Client
    harness: Harness

    @property
    def status(self) -> str:
        """Where the task stands: working, input_required, completed, failed or cancelled."""
        return self.onlooker.get_task(self.id).status

    @property
    def message(self) -> str | None:
        """What the task last said of itself."""
        return self.onlooker.get_task(self.id).message

    @property
    def result(self) -> ToolResult:
        """What the tool answered; raises `NoResult`, and `McpError` if there is only an error to tell."""
        if (status := self.status) not in FINAL:
            raise NoResult(f"the task is {status}")
        return self.onlooker.task_result(self.id)

    @property
    def input_requests(self) -> Mapping[str, JSON]:
        """What the task asks now: the params of each input request, by its key."""
        return {request.id: request.params for request in self.by_key.input_requests(self.id)}

    def respond(self, **answers: JSON) -> None:
        """Answer input requests by their keys: `approve={"action": "accept", "content": {}}`; raises `McpError`."""
        try:
            self.by_key.request("tasks/update", {"taskId": self.id, "inputResponses": answers})
        finally:
            self.harness.run_until_idle()

    def cancel(self) -> None:
        """Cancel the task; what needs no time has happened when this returns.  Raises `McpError`."""
        self.client.cancel_task(self.id)
        self.harness.run_until_idle()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedTasks:
    """The server on the harness, as far as a test needs it."""

    harness: Harness
    _clients: dict[Caller, rev_2025_11_25.Client] = field(default_factory=dict)
    _onlookers: dict[Caller, rev_2025_11_25.Client] = field(default_factory=dict)

    def call(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> ToolResult:
        """Call a tool without a task and return what it answered; raises `McpError`."""
        result = self.client(as_caller).call_tool(tool, arguments)
        self.harness.run_until_idle()
        return result

    def start(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> DeployedTask:
        """Call a tool as a task; what needs no time has happened when this returns.  Raises `McpError`."""
        started = self.client(as_caller).start_task(tool, arguments)
        self.harness.run_until_idle()
        return self.find(started.id, as_caller=as_caller)

    def run(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> ToolResult:
        """Call a tool as a task, let as much time pass as it needs, and return what it answered; raises `McpError`."""
        task = self.start(tool, as_caller=as_caller, **arguments)
        while task.status not in FINAL:
            moment = self.harness.next_deadline()
            assert moment is not None, f"{tool} waits for something that no time will bring"
            self.harness.move(moment)
        return task.result

    def advance(self, **duration: float) -> None:
        """Let time pass: `advance(hours=1, minutes=30)`, named as `timedelta` names it."""
        self.harness.advance(timedelta(**duration))

    def find(self, task_id: str, /, *, as_caller: Caller = ADA) -> DeployedTask:
        """Return a task of the caller's, which may or may not exist."""
        if as_caller not in self._onlookers:
            self._onlookers[as_caller] = self.connect(as_caller, capabilities={})
        return DeployedTask(
            id=task_id,
            client=self.client(as_caller),
            onlooker=self._onlookers[as_caller],
            by_key=rev_2026_07_28.Client(checked_2026.Checked(self.gateway(as_caller).send)),
            harness=self.harness,
        )

    def client(self, caller: Caller = ADA) -> rev_2025_11_25.Client:
        """Return the caller's client, for requests that have no name here."""
        if caller not in self._clients:
            self._clients[caller] = self.connect(caller)
        return self._clients[caller]

    def connect(
        self, caller: Caller = ADA, capabilities: Mapping[str, Any] = RESPONDS, responder: Responder | None = None
    ) -> rev_2025_11_25.Client:
        """Return another client of the caller's."""
        transport = checked_2025.Checked(self.gateway(caller).send)
        clock = self.harness.lambdas.clock
        return rev_2025_11_25.Client(transport, capabilities, responder=responder, sleep=clock.sleep)

    def gateway(self, caller: Caller = ADA) -> Gateway:
        """Return the caller's way to the server, for clients of the test's own."""
        return Gateway(lambdas=self.harness.lambdas, template=self.harness.template, caller=caller)
