"""A simulated process that crashes at a chosen call to AWS, or pauses there while something else happens."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from mcp_tasks.engine.execution_outcomes import ExecutionOutcomes
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.ports import Ports
from mcp_tasks.run_host.in_process import InProcessRunner
from mcp_tasks.tasks.model import Task
from mcp_tasks.wiring import Wiring

E = TypeVar("E")
When = Literal["before", "after"]

READS = {"query", "get_item", "get_object", "describe_execution"}
"""Calls that change nothing: to crash after one is to crash before the next."""
TRIED = (True, False, False)
"""Of calls that are no reads, in turn: whether every run of the tests has a process crash at it."""


class Crash(KeyboardInterrupt):
    """The process is gone: nothing in it may catch this, and what tools raise is caught but for this kind."""


def crash() -> None:
    raise Crash


@dataclass(slots=True, kw_only=True)
class Fuse:
    """Ends the process right before or right after one of its AWS calls, the first being number 0.

    Or lets something else happen there, and then the process goes on.
    """

    number: int | None = None
    when: When = "before"
    burn: Callable[[], object] = crash
    calls: list[str] = field(default_factory=list)

    def around(self, client: Any) -> "Fused":
        return Fused(client=client, fuse=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """A client behind a fuse."""

    client: Any
    fuse: Fuse

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(*values: Any, **request: Any) -> Any:
            burns = len(self.fuse.calls) == self.fuse.number
            self.fuse.calls.append(operation)
            if burns and self.fuse.when == "before":
                self.fuse.burn()
            try:
                return getattr(self.client, operation)(*values, **request)
            finally:
                if burns and self.fuse.when == "after":
                    self.fuse.burn()

        return call


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The services of one process, on clients of its own."""

    tasks: TaskService
    suspension: Suspension
    reconciler: Reconciler
    runner: InProcessRunner
    execution_outcomes: ExecutionOutcomes

    @classmethod
    def of(cls, ports: Ports, tools: Toolbox) -> "Process":
        wiring = Wiring(ports=ports)
        return cls(
            tasks=wiring.tasks(),
            suspension=wiring.suspension(),
            reconciler=wiring.reconciler(),
            runner=wiring.runner(tools),
            execution_outcomes=wiring.execution_outcomes(tools),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Generic[E]):
    """One action of a process in an environment.

    `given` is what happened before, by processes that lived on; `calls` are those that `does` makes to AWS, in order.
    Each of `reconciliation` is a sequence of names that is enough.
    """

    given: Callable[[E], Task | None]
    does: Callable[[E, Process, Any], object]
    calls: list[str]
    reconciliation: list[str]
