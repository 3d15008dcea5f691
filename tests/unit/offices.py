"""A tenant whose tasks ask others, in memory: its inbox, and those who decide."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mcp_tasks.engine.approvals import Approvals, Decided
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval, Audience
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import JSON, InputRequest, Task
from tests.kit import ADA, FixedClock
from tests.unit.jobs import COLOUR, DAY, RED, job, service

FINANCE = frozenset({"finance"})
GRACE = Caller(tenant="acme", subject="grace", roles=FINANCE)
HEIDI = Caller(tenant="acme", subject="heidi", roles=FINANCE)
ACCEPT: Mapping[str, JSON] = RED.result or {}
DECLINE: Mapping[str, JSON] = {"action": "decline"}


class Office:
    """A tenant whose tasks ask, and its inbox."""

    def __init__(self) -> None:
        self.clock, self.ttl, self.message = FixedClock(), DAY, "Which colour?"
        self.tasks = service(clock=self.clock)
        self.approvals = self.with_inbox(self.tasks.ports.inbox())

    def with_inbox(self, inbox: Any) -> Approvals:
        ports = replace(self.tasks.ports, inbox=lambda: inbox)
        return Approvals(ports=ports, suspension=Suspension(tasks=self.tasks))

    def ask(self, of: Audience, quorum: int = 1, caller: Caller = ADA) -> Task:
        """Return a task of the caller's that asks an audience."""
        params = {**COLOUR.params, "message": self.message}
        return self.ask_so(replace(COLOUR, params=params, approval=Approval(audience=of, quorum=quorum)), caller)

    def ask_so(self, input_request: InputRequest, caller: Caller = ADA) -> Task:
        """Return a task of the caller's that makes this input request; each asks a moment after the one before."""
        self.clock.advance(timedelta(milliseconds=1))
        task = self.tasks.start(caller, job, {}, ttl=self.ttl)
        suspension = Suspension(tasks=self.tasks)
        suspension.request_input(caller.owner_key, task.id, [input_request])
        suspension.suspend(caller.owner_key, task.id, "token")
        return task

    def asked(self, of: Audience, quorum: int = 1, caller: Caller = ADA) -> InboxItem:
        task = self.ask(of, quorum, caller)
        everyone = replace(GRACE, subject="ivan")
        return next(item for item in self.approvals.page(everyone, limit=100)[0] if item.task_id == task.id)

    def decide(self, caller: Caller, item: InboxItem, result: Mapping[str, JSON] = ACCEPT) -> Decided:
        return self.approvals.decide(caller, item.id, result, channel="page")
