"""The functions of a release in one process: each takes and returns plain data."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import Any

from mcp_tasks.adapters.dynamodb.changes import change_of, deleted_while_live
from mcp_tasks.adapters.dynamodb.items import owner_and_id
from mcp_tasks.authoring.control_signals import Interrupted
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.waits import BETWEEN_CHECKS
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.run_host.in_process import InProcessRunner, as_json
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from mcp_tasks.wiring import Wiring
from tests.simulation.deployed.outside import Effect, Outside
from tests.simulation.deployed.ports import ports_of
from tests.simulation.deployed.tools import tools

UNAVAILABLE = ExecutorUnavailable
"""How a function fails that cannot reach the executor."""

UNCHECKED = BETWEEN_CHECKS
"""How long the sweep of this release may leave a live task alone that does not need input."""

INTERRUPTED = (RunInterrupted, Interrupted)
"""How a run fails that something else interrupted."""


def features(effect: Effect, *, direct: bool, others: bool, odd: bool, uses: Collection[str]) -> Features:
    """Return what this release serves: where some tasks are `direct`, they have no execution; some may ask `others`.

    Some may be `odd`, and some `uses` there are in no other story.
    """
    return Features.of(tools(effect, direct=direct, others=others, odd=odd, uses=uses))


class Functions:
    """All functions, in a process that lives for one invocation."""

    def __init__(self, outside: Outside, served: Any) -> None:
        """Take the world, and what `features` returned."""
        self._outside = outside
        self._features: Features = served

    def answer(
        self, method: str, headers: Mapping[str, str], body: bytes, caller: Mapping[str, Any]
    ) -> tuple[int, Mapping[str, str], str]:
        """Answer an HTTP request of a caller: the endpoint."""
        server = self._wiring.server(self._features, name="simulated", version="1", page_size=3)
        request = HttpRequest(method=method, headers=headers, body=body)
        reply = handle(server, request, _caller(caller))
        return reply.status, dict(reply.headers), reply.body

    def run(self, owner_key: str, task_id: str) -> timedelta | None:
        """Run the tool of a task; returns how long to wait where it suspends."""
        return self._runner.run(owner_key, task_id)

    def begin(self, event: Mapping[str, Any]) -> None:
        """Run the tool of a task without an execution, as an event of Lambda says."""
        self._runner.runner.answer(event)

    def send(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a message to the host of runs, as a run does."""
        return self._runner.runner.send(message)

    def host(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer a message of a run, of whatever release that is."""
        return as_json(self._wiring.host_server(self._features.tools).answer)(message)

    def suspend(self, owner_key: str, task_id: str, token: str) -> None:
        """Suspend a task with the token of its execution."""
        self._wiring.suspension().suspend(owner_key, task_id, token)

    def failed(self, owner_key: str, task_id: str, error: str) -> None:
        """Record that a task's work failed."""
        self._wiring.execution_outcomes(self._features.tools).failed(owner_key, task_id, error)

    def ended(self, owner_key: str, task_id: str, status: str) -> None:
        """Record that a task's execution ended."""
        self._wiring.execution_outcomes(self._features.tools).ended(owner_key, task_id, status)

    def tasks(self) -> Any:
        """Return what an operator's command uses of tasks."""
        return self._wiring.tasks()

    def sweep(self, limit: int) -> None:
        """Check tasks that are due."""
        self._wiring.reconciler().sweep(limit=limit)

    def changed(self, owner_key: str, before: Any, after: Any) -> None:
        """Reconcile a task that was changed in memory."""
        self._wiring.reconciler().changed(owner_key, before, after)

    def delivered(self, record: Mapping[str, Any]) -> None:
        """Reconcile a task of which the table's stream has a record."""
        owner_key, task_id = owner_and_id(record["Keys"])
        with skip_unreadable("the task is left as it is", owner_key=owner_key, task=task_id):
            change = change_of(record)
            self._wiring.reconciler().changed(owner_key, change.before, change.after)
            return
        if deleted_while_live(record):
            self._wiring.reconciler().deleted(owner_key, task_id)

    @cached_property
    def _wiring(self) -> Wiring:
        return Wiring(ports=ports_of(self._outside))

    @cached_property
    def _runner(self) -> InProcessRunner:
        runner = self._wiring.runner(self._features.tools)
        send = runner.runner.send

        def sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
            return self._outside.send(message, send)

        return replace(runner, runner=replace(runner.runner, send=sent))


def _caller(described: Mapping[str, Any]) -> Caller:
    """Return a caller by its fields, of which sets are lists."""
    fields: dict[str, Any] = {
        name: frozenset(each) if isinstance(each, list) else each for name, each in described.items()
    }
    return Caller(**fields)
