"""The vocabulary of tests of the deployed server: start a tool as a task, advance the time, read the result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.client import FINAL, RESPONDS, Client, NotATask, Responder, ToolResult
from mcp_tasks.testing.harness import client_module
from tests.harness.gateway import Gateway
from tests.harness.harness import Harness
from tests.kit import ADA
from tests.revisions import module_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedTask:
    """One task, as its caller sees it; every property asks the server.

    It asks as an `onlooker`, a client without capabilities: otherwise each read would deliver the input requests.
    """

    id: str
    client: Client
    onlooker: Client
    harness: Harness

    @property
    def status(self) -> str:
        """Where the task stands: working, input_required, completed, failed or cancelled."""
        return self.onlooker.get_task(self.id).status

    @property
    def message(self) -> str | None:
        """The task's status message."""
        return self.onlooker.get_task(self.id).message

    @property
    def result(self) -> ToolResult:
        """The tool's result; raises `NoResult`, and `McpError` if the task ended with a JSON-RPC error."""
        return self.onlooker.task_result(self.id)

    def cancel(self) -> None:
        """Cancel the task; what needs no time has happened when this returns.  Raises `McpError`."""
        # Not by `cancel_task`, which does not distinguish a task that has ended from another.
        self.client.request("tasks/cancel", {"taskId": self.id})
        self.harness.run_until_idle()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedTasks:
    """The server on the harness, as far as a test needs it, in one revision of the protocol."""

    harness: Harness
    revision: str
    _clients: dict[Caller, Client] = field(default_factory=dict)
    _onlookers: dict[Caller, Client] = field(default_factory=dict)

    def call(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> ToolResult:
        """Call a tool without a task and return what it answered; raises `McpError`."""
        result = self.connect(as_caller, tasks=False).call_tool(tool, arguments)
        self.harness.run_until_idle()
        return result

    def start(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> DeployedTask:
        """Call a tool as a task; what needs no time has happened when this returns.  Raises `McpError`."""
        try:
            started = self.client(as_caller).start_task(tool, arguments)
        finally:
            self.harness.run_until_idle()
        return self.find(started.id, as_caller=as_caller)

    def run(self, tool: str, /, *, as_caller: Caller = ADA, **arguments: JSON) -> ToolResult:
        """Call a tool as a task, advance the time as far as it needs, and return its result; raises `McpError`.

        Where the server may answer at once instead, that is the result.
        """
        try:
            task = self.start(tool, as_caller=as_caller, **arguments)
        except NotATask as answered:
            if answered.result is None:
                raise
            return answered.result
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
            self._onlookers[as_caller] = self.connect(as_caller, {})
        return DeployedTask(
            id=task_id, client=self.client(as_caller), onlooker=self._onlookers[as_caller], harness=self.harness
        )

    def all(self) -> list[DeployedTask]:
        """Return every task that is stored, as one of the usual caller's."""
        keys = (item["SK"]["S"].partition("#") for item in self.harness.table.items())
        return [self.find(task_id) for kind, _, task_id in keys if kind == "task"]

    def client(self, caller: Caller = ADA) -> Client:
        """Return the caller's client, for requests that have no name here."""
        if caller not in self._clients:
            self._clients[caller] = self.connect(caller)
        return self._clients[caller]

    def connect(
        self,
        caller: Caller = ADA,
        capabilities: Mapping[str, Any] = RESPONDS,
        *,
        tasks: bool = True,
        responder: Responder | None = None,
    ) -> Client:
        """Return another client of the caller's, which declares that it knows tasks, or that it does not."""
        module = client_module(self.revision)
        client: Client = module.Client(
            module_of(self.revision, "checked").Checked(self.gateway(caller).send),
            {**capabilities, **(module.TASKS if tasks else {})},
            responder=responder,
            sleep=self.harness.lambdas.clock.sleep,
        )
        return client

    def gateway(self, caller: Caller = ADA) -> Gateway:
        """Return the caller's gateway, as a transport for the test's own clients."""
        return Gateway(lambdas=self.harness.lambdas, template=self.harness.template, caller=caller)
