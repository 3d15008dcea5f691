"""The history of what is stored, by our own count, whatever it is stored in: what laws look at."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import InputResponse, Outcome, RunLease, Task
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.laws.keys import Bound
from tests.simulation.log import Log
from tests.simulation.process import CallRecord
from tests.simulation.reckoning import expires_at


class Change(NamedTuple):
    """One record of the table's stream, which in a table has images."""

    owner_key: str
    before: Task | None
    after: Task | None
    record: Mapping[str, Any] | None = None
    moment: int = 0
    """When it was written, in `moments`."""
    process: int = 0
    """The moment at which the process began that wrote it."""

    @property
    def task(self) -> Task:
        task = self.after or self.before
        assert task is not None
        return task

    @property
    def removes(self) -> bool:
        return self.after is None


class Leased(NamedTuple):
    """What a task's lease was before a write, and is after it, and when that was."""

    task: Task
    before: RunLease | None
    after: RunLease | None
    at: datetime
    begins: bool
    """Whether it was written for a run that begins, rather than for one that works."""


class Start(NamedTuple):
    """Whose task was started, and what its tenant had meanwhile at the least: suspended tasks, and bytes kept."""

    owner_key: str
    suspended: int
    kept: int


class Part(NamedTuple):
    """Bytes of arguments or of a result that an owner keeps, and until when they count, None if they may not at all."""

    owner_key: str
    size: int
    counts_until: datetime | None


class Held(NamedTuple):
    """What each tenant and each of its subjects holds of its plan, by our own count: tasks, and bytes that they keep.

    A tenant's `active` tasks are those that its counter says.  Some `parts` of what is `kept` may not count: what has
    expired, and what was put for a task that could not be started, or that ended otherwise.
    """

    active: Counter[str]
    suspended: Counter[str]
    kept: Counter[str]
    parts: Sequence[Part]


class History:
    """What was stored, and how much everybody held."""

    counters: ClassVar[int] = 1
    """How many counters each tenant is counted at."""

    def __init__(self, clock: Clock) -> None:
        self._time = clock
        self.changes = Log[Change]()
        self.versions: defaultdict[str, list[Task]] = defaultdict(list)
        """All that there were of each task."""
        self.leases = Log[Leased]()
        self.responses = Log[tuple[str, str, InputResponse]]()
        """Task, key and what was written, as often as it was."""
        self.recorded: dict[tuple[str, str], int] = {}
        """When each step of a task was first recorded, in `moments`."""
        self.moments = 0
        self.counts: defaultdict[str, list[int]] = defaultdict(lambda: [0])
        """How many live tasks each tenant was counted, over time."""
        self.holdings: list[Held] = [Held(Counter(), Counter(), Counter(), ())]
        """What is held, over time."""
        self.starts = Log[Start]()
        self.call: Callable[[], CallRecord] = CallRecord
        """Returns the record of the call that the process which runs now serves."""
        self.since: Callable[[], int] = lambda: -1
        """Returns from which of the `holdings` on what that process has read may be."""
        self.began: Callable[[], datetime] = clock.now
        """Returns when that process began."""
        self.asks: Callable[[], str] = str
        """Returns what the run that runs now asked its host last."""
        self.went_on: defaultdict[str, list[tuple[int, datetime]]] = defaultdict(list)
        """The moments at which each task went on that had waited for input, and when who let it had begun."""
        self.process: Callable[[], int] = int
        """Returns the moment at which the process began that runs now."""
        self.bound = Log[Bound]()
        """The tasks that were created for named calls."""
        self._released: set[str] = set()

    # --- what there is

    def tasks(self) -> list[tuple[str, Task]]:
        """Return every task that is stored, expired or not, in the order of creation, and whose it is."""
        raise NotImplementedError

    def stored_steps(self, owner_key: str, task_id: str) -> Mapping[str, str]:
        """Return what the steps of a task recorded, as JSON."""
        raise NotImplementedError

    def stored_outcome(self, owner_key: str, task_id: str) -> Outcome | None:
        """Return the outcome of a task, expired or not."""
        raise NotImplementedError

    def counted_at(self, tenant: str) -> list[int]:
        """Return how many live tasks each counter of a tenant counts."""
        return [self.counts[tenant][-1]]

    def counted(self) -> Mapping[str, Counter[tuple[str, int]]] | None:
        """Return what is counted of each tenant and subject, by what it is and at which counter, if that is stored."""
        return None

    def unreleased(self) -> list[tuple[str, Task]]:
        """Return the tasks that were deleted while they lived, and hold what they held until they are released."""
        return []

    def inbox_items(self) -> Mapping[str, tuple[str, InboxItem]]:
        """Return what tasks ask of others, by its id, and the tenant whose inbox has it."""
        raise NotImplementedError

    def due_checks(self, limit: int) -> list[tuple[float, Task]]:
        """Return the live tasks that a sweep of so many has to check by now, and since when."""
        raise NotImplementedError

    def bytes_kept(self) -> list[Part]:
        """Return the bytes of arguments and results that everybody keeps."""
        raise NotImplementedError

    def kept_for_ever(self) -> list[str]:
        """Return what is left that nothing deletes by itself within some weeks, but for plans and counters."""
        return []

    def lives(self, task: Task) -> bool:
        """Return whether somebody who reads the task finds it."""
        return expires_at(task) > self._time.now()

    def find(self, task_id: str) -> Task | None:
        """Return the task of this id, expired or not."""
        return next((task for _, task in self.tasks() if task.id == task_id), None)

    def is_kept(self, task_id: str) -> bool:
        """Return whether somebody who reads a task of this id finds it."""
        task = self.find(task_id)
        return task is not None and self.lives(task)

    def is_over(self, task_id: str, *, behind: timedelta = timedelta()) -> bool:
        """Return whether a task is final, or gone by a clock that is behind."""
        task = self.find(task_id)
        return task is None or is_final(task) or expires_at(task) <= self._time.now() - behind

    def is_released(self, task_id: str) -> bool:
        """Return whether a task that was deleted while it lived is counted no more."""
        return task_id in self._released

    def moment(self) -> int:
        """Return a number that rises whenever anybody asks for it."""
        self.moments += 1
        return self.moments

    # --- what is noted

    def know(self, name: str) -> None:
        """Know the name of a step, which may be stored hashed."""

    def _note_change(self, change: Change) -> None:
        self.changes.append(change._replace(moment=self.moment(), process=self.process()))
        before, after = change.before, change.after
        if after is not None:
            self.versions[after.id].append(after)
        asked = before is not None and bool(before.input_requests)
        if asked and after is not None and not after.input_requests and not is_final(after):
            self.went_on[after.id].append((self.moment(), self.began()))

    def _note_start(self, owner_key: str, task: Task) -> None:
        """Note what waited, and what the call did and was answered, whether or not its task was given that."""
        tenant = tenant_of(owner_key)
        held = self.holdings[self.since() :]
        kept = min(self._surely_kept(tenant, each.parts) for each in held)
        self.starts.append(Start(owner_key, min(each.suspended[tenant] for each in held), kept))
        call = self.call()
        call.tasks.append(task.id)
        if call.named is not None:
            self.bound.append(Bound(call.named, task, self._time.now(), len(self.changes)))
        self.responses += [(task.id, name, InputResponse(result=each)) for name, each in call.counting.items()]
        for step in call.steps:
            self._record_moment(task.id, step)

    def _surely_kept(self, tenant: str, parts: Iterable[Part]) -> int:
        """Return how many bytes of a tenant count by now."""
        now = self._time.now()
        return sum(size for owner, size, until in parts if tenant_of(owner) == tenant and until and until > now)

    def _note_lease(self, before: Task, after: Task) -> None:
        if before.lease != after.lease:
            begins = self.asks() == "load"
            self.leases.append(Leased(after, before.lease, after.lease, self._time.now(), begins))

    def _record_moment(self, task_id: str, step: str) -> None:
        self.recorded.setdefault((task_id, step), self.moment())

    def _hold(self) -> None:
        active = Counter({tenant: counts[-1] for tenant, counts in self.counts.items()})
        parts = self.bytes_kept()
        held = Held(active, Counter(), Counter(), parts)
        for owner_key, task in [*self.tasks(), *self.unreleased()]:
            held.active[owner_key] += not is_final(task)
            for owner in (tenant_of(owner_key), owner_key):
                held.suspended[owner] += bool(task.input_requests)
        for part in parts:
            for owner in (tenant_of(part.owner_key), part.owner_key):
                held.kept[owner] += part.size
        self.holdings.append(held)
