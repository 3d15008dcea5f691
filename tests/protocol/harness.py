"""A harness for protocol tests: a server on memory ports whose clock and work a test controls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.engine.limits import Limits
from mcp_tasks.features.listing import Features
from mcp_tasks.ports import Ports
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.events import InputRequested, Progressed, StatusReported
from mcp_tasks.tasks.model import InputRequest, Outcome, Progress
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wiring import Wiring
from tests.kit import ADA, BusyWaiter, FixedClock, IdleExecutor, memory_ports
from tests.protocol.sample_tools import TOOLS

ORIGIN = "https://app.example"


class Harness:
    """A server on ports in memory; a test controls its clock, its executor and the state of its tasks."""

    def __init__(self, features: Features | None = None, *, ports: Callable[..., Ports] = memory_ports) -> None:
        self.clock = FixedClock()
        self.executor = IdleExecutor()
        self.waiter = BusyWaiter(clock=self.clock)
        self.ports: Ports = ports(
            self.clock, executor=self.executor, waiter=self.waiter, plan=Plan(active_tasks=20, subject_share=1)
        )
        self.wiring = Wiring(ports=self.ports, limits=Limits(longest_ttl=timedelta(days=2)))
        self.tasks, self.suspension = self.wiring.tasks(), self.wiring.suspension()
        self.executor.suspend = self.suspension.suspend
        self.server = self.wiring.server(
            features or Features.of(TOOLS),
            name="test-server",
            version="1.2.3",
            origins=frozenset({ORIGIN, "http://localhost:*"}),
            instructions="Long tools run as tasks.",
            page_size=3,
        )
        self.event_ids: set[str] = set()
        """The ids of all events ever sent: each may be sent only once."""
        self.idle = False
        """Whether tasks are not run, not even while a client waits for them."""

    def change(self, **settings: Any) -> None:
        """Change settings of the server, from the next request on."""
        self.server = replace(self.server, **settings)

    def limit(self, **fields: Any) -> None:
        """Change the plan of all tenants, from the next request on."""
        plans = FixedPlans(plan=replace(Plan(active_tasks=20), **fields))
        self.ports = replace(self.ports, plans=plans)
        self.wiring = replace(self.wiring, ports=self.ports)
        fresh = self.wiring.server(self.server.features, name="test-server", version="1.2.3")
        self.change(tasks=fresh.tasks, suspension=fresh.suspension, admission=fresh.admission)

    def restart(self) -> None:
        """Replace the server by a new instance, which has only what is stored."""
        fresh = self.wiring.server(self.server.features, name="test-server", version="1.2.3")
        self.change(
            signer=fresh.signer, encryptor=fresh.encryptor, subscriptions=fresh.subscriptions, revisions=fresh.revisions
        )

    def run(self, task_id: str, caller: Caller = ADA) -> None:
        """Run a task to its end or its next input request; a suspended task is run as after its timeout."""
        place = (caller.owner_key, task_id)
        self.executor.suspended = {token: other for token, other in self.executor.suspended.items() if other != place}
        self.executor.run = self._run
        self.executor.work(caller.owner_key, task_id)
        self.executor.run = None

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Within the block, run each task as soon as it is started."""
        self.executor.run = None if self.idle else self._run
        yield
        self.executor.run = None

    def _run(self, owner_key: str, task_id: str) -> timedelta | None:
        return self.wiring.runner(self.server.features.tools).run(owner_key, task_id)

    def finish(self, task_id: str, outcome: Outcome, caller: Caller = ADA) -> None:
        """Record the outcome of a task."""
        self.tasks.finish(caller.owner_key, task_id, outcome)

    def progress(self, task_id: str, progress: float, message: str | None = None, caller: Caller = ADA) -> None:
        """Report progress of a task."""
        made = Progress(progress=progress, total=100, message=message)
        self.tasks.apply(caller.owner_key, task_id, Progressed(progress=made))

    def report_status(self, task_id: str, words: str, caller: Caller = ADA) -> None:
        """Report a status message of a task."""
        self.tasks.apply(caller.owner_key, task_id, StatusReported(status_message=words))

    def request_input(self, task_id: str, *input_requests: InputRequest, caller: Caller = ADA) -> None:
        """Request input for a task, and suspend it."""
        self.tasks.apply(caller.owner_key, task_id, InputRequested(input_requests=input_requests))
        self.suspension.suspend(caller.owner_key, task_id, "token")

    def while_waiting(self, *calls: Callable[[], object]) -> None:
        """Call these functions one after another, each during one pause of the waiter."""
        rest = list(calls)
        self.waiter.meanwhile = lambda: rest.pop(0)() if rest else None

    def kept(self) -> str:
        """Return all that is stored and all calls of the executor, so that a test can compare it later."""
        storage: Any = self.ports.storage
        return self._show(self.ports.tasks, *storage.stores.values(), self.ports.change_feed, self.executor)

    def stored(self) -> str:
        """Return all that is stored of tasks."""
        return self._show(self.ports.tasks)

    def _show(self, *holders: object) -> str:
        shown = [{name: getattr(holder, name) for name in _names(holder)} for holder in holders]
        # A store that is made when it is first needed holds as little as one that is not there yet.
        return repr([each for each in shown if any(each.values())])


def _names(holder: Any) -> list[str]:
    names = getattr(holder, "__slots__", None) or vars(holder)
    return [name for name in names if name not in ("changed", "suspend", "_clock", "_lock")]
