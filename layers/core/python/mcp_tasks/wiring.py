"""Makes services of ports, whatever implements those: AWS in `bootstrap`, memory in `local/serve.py` and in tests."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mcp_tasks.engine.admission import Admission
from mcp_tasks.engine.approval_tools import approval_tools, inbox
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.limits import Limits
from mcp_tasks.engine.subscriptions import Subscriptions
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.ports import Ports
from mcp_tasks.records import record
from mcp_tasks.security.encryption import Encryptor
from mcp_tasks.security.scopes import StageScopes, united
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.revisions import revisions

# The endpoint, whose start is what clients wait for, runs no tools and hosts no runs.
if TYPE_CHECKING:
    from mcp_tasks.engine.approval_notices import ApprovalNotices
    from mcp_tasks.engine.approvals import Approvals
    from mcp_tasks.engine.execution_outcomes import ExecutionOutcomes
    from mcp_tasks.engine.progress_reports import ProgressReports
    from mcp_tasks.engine.reconciler import Reconciler
    from mcp_tasks.run_host.in_process import InProcessRunner
    from mcp_tasks.run_host.server import HostServer
    from mcp_tasks.run_host.ticket_runner import TicketRunner
    from mcp_tasks.security.links import Links
    from mcp_tasks.security.operators import Operators


NO_TOOLS: Final = Toolbox([])


@record
class Wiring:
    """Makes each service from the same ports, limits and scopes; links begin with the address of the `console`."""

    ports: Ports
    limits: Limits = field(default_factory=Limits)
    scopes: StageScopes = field(default_factory=StageScopes)
    operators: "Operators | None" = None
    console: str = ""

    def tasks(self) -> TaskService:
        """Return what starts, shows and cancels tasks."""
        return TaskService(ports=self.ports, limits=self.limits)

    def server(self, features: Features, **settings: Any) -> Server:
        """Return what answers clients; `settings` are the fields of `Server` that are no services."""
        tasks, keys, clock = self.tasks(), self.ports.keys, self.ports.clock
        return Server(
            tasks=tasks,
            suspension=Suspension(tasks=tasks),
            features=self.with_inbox(features),
            subscriptions=self.subscriptions(),
            signer=self._signer(),
            encryptor=Encryptor(keys=keys, clock=clock),
            revisions=revisions(self.ports.storage),
            admission=self._admission(),
            scopes=self.scopes,
            own_tools=self._own_tools,
            **settings,
        )

    def with_inbox(self, features: Features) -> Features:
        """Return features with the tools and the resource of an inbox, if one of their tools asks others."""
        if not any(tool.approvals for tool in features.tools):
            return features
        return features.with_built_in(approval_tools(self._approvals, self._make_link), [inbox(self._approvals)])

    def runner(self, tools: Toolbox) -> "InProcessRunner":
        """Return what runs the tools of tasks."""
        # Saves 3 ms of every cold start of the endpoint.
        from mcp_tasks.run_host.in_process import InProcessRunner

        return InProcessRunner(tickets=self.tickets(), runner=self.ticket_runner(tools))

    def ticket_runner(self, tools: Toolbox) -> "TicketRunner":
        """Return what runs the tools of tasks for those who hold their tickets."""
        # Saves 4 ms, as above.
        from mcp_tasks.engine.runner import Runner
        from mcp_tasks.run_host.in_process import as_json
        from mcp_tasks.run_host.ticket_runner import TicketRunner

        runner = Runner(tools=tools, clock=self.ports.clock)
        return TicketRunner(runner=runner, send=as_json(self.host_server(tools).answer))

    def host_server(self, tools: Toolbox = NO_TOOLS) -> "HostServer":
        """Return what hosts the runs of tools in other processes, where callers have the scopes for the tools."""
        # Saves 4 ms, as above.
        from mcp_tasks.run_host.allowance import MessageAllowance
        from mcp_tasks.run_host.server import HostServer

        def needed(name: str) -> Sequence[str]:
            tool = tools.find(name)
            return united(self.scopes.call, tool.scopes if tool else ())

        allowance = MessageAllowance(buckets=self.ports.buckets, clock=self.ports.clock)
        return HostServer(tasks=self.tasks(), tickets=self.tickets(), allowance=allowance, needed=needed)

    def tickets(self) -> Tickets:
        """Return what issues and reads the tickets of runs."""
        return Tickets(signer=self._signer())

    def suspension(self) -> Suspension:
        """Return what suspends tasks that need input, and resumes them."""
        return Suspension(tasks=self.tasks())

    def subscriptions(self) -> Subscriptions:
        """Return what publishes changes to clients that subscribed."""
        return Subscriptions(change_feed=self.ports.change_feed, tasks=self.tasks())

    def reconciler(self) -> "Reconciler":
        """Return what repeats the side effects of writes whose process died."""
        # Saves 1 ms, as above.
        from mcp_tasks.engine.reconciler import Reconciler

        return Reconciler(tasks=self.tasks(), ports=self.ports)

    def approval_notices(self) -> "ApprovalNotices":
        """Return what tells people of approvals that wait for them."""
        # Saves 1 ms, as above.
        from mcp_tasks.engine.approval_notices import ApprovalNotices

        return ApprovalNotices(ports=self.ports)

    def progress_reports(self) -> "ProgressReports":
        """Return what reports progress for the states of tasks' executions."""
        # Saves 1 ms, as above.
        from mcp_tasks.engine.progress_reports import ProgressReports

        return ProgressReports(tasks=self.tasks())

    def execution_outcomes(self, tools: Toolbox) -> "ExecutionOutcomes":
        """Return what records outcomes from executions that ended."""
        # Saves 1 ms, as above.
        from mcp_tasks.engine.execution_outcomes import ExecutionOutcomes

        return ExecutionOutcomes(tasks=self.tasks(), tools=tools)

    def _own_tools(self, caller: Caller) -> tuple[Tool, ...]:
        """Return the tools that a caller has as one who holds a link, or who operates the stage; most have none."""
        if caller.approval is not None:
            # Saves 1 ms of every cold start, as above.
            from mcp_tasks.engine.link_tools import link_tools

            return link_tools(self._approvals, lambda holder, nonce: self._links().for_tab(holder, nonce))
        if self.operators is None or self.ports.tenants is None or not self.operators.include(caller):
            return ()
        # Saves 1 ms of every cold start, as above.
        from mcp_tasks.engine.operator_tools import operator_tools

        return operator_tools(self.ports, self.ports.tenants, self.tasks())

    def _approvals(self) -> "Approvals":
        # Saves 3 ms, as above.
        from mcp_tasks.engine.approvals import Approvals

        return Approvals(ports=self.ports, suspension=self.suspension())

    def _make_link(self, caller: Caller, approval: str, until: datetime | None) -> str:
        if until is None:
            return f"{self.console}#/inbox/{quote(approval, safe='')}"
        return f"{self.console}#/link/{self._links().make(caller, approval, until)}"

    def _links(self) -> "Links":
        # Saves 1 ms of every cold start: few calls make links.
        from mcp_tasks.security.links import Links

        return Links(signer=self._signer())

    def _admission(self) -> Admission:
        ports = self.ports
        return Admission(plans=ports.plans, buckets=ports.buckets, held_waits=ports.held_waits, clock=ports.clock)

    def _signer(self) -> Signer:
        return Signer(keys=self.ports.keys, clock=self.ports.clock)
