"""The reconciler in simulated time: called for each change of a task, as by the table's stream, and by a schedule."""

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from mcp_tasks.engine.approval_notices import ApprovalNotices
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.aws import MAX_SWEPT
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import Task
from mcp_tasks.testing.clock import START, SimulatedClock
from mcp_tasks.testing.store import ObservedStore
from mcp_tasks.testing.work import RETRY_INTERVAL, ProcessCrashed

BETWEEN_SWEEPS: Final = timedelta(minutes=5)


@dataclass(slots=True, kw_only=True)
class SimulatedReconciliation:
    """Runs the reconciler on the simulated clock.

    A sweep without a task that is due would do nothing, and is left out: time passes in fewer steps without it.
    """

    clock: SimulatedClock
    store: ObservedStore
    reconciler: Reconciler
    notices: ApprovalNotices
    _sweeps: set[datetime] = field(default_factory=set)

    def changed(self, owner_key: str, before: Task | None, after: Task) -> None:
        """Reconcile a change once the clock goes on, and schedule the sweep that will check the task."""
        self.clock.at(self.clock.now(), partial(self._deliver, owner_key, before, after))
        self._schedule_sweep()

    def asked(self, before: InboxItem | None, after: InboxItem) -> None:
        """Tell people of a change of the inbox once the clock goes on."""
        self.clock.at(self.clock.now(), partial(self.notices.changed, before, after))

    def _deliver(self, owner_key: str, before: Task | None, after: Task) -> None:
        try:
            self.reconciler.changed(owner_key, before, after)
        except ProcessCrashed:
            self.clock.at(self.clock.now() + RETRY_INTERVAL, partial(self._deliver, owner_key, before, after))

    def _sweep(self) -> None:
        self._sweeps.discard(self.clock.now())
        with suppress(ProcessCrashed):
            self.reconciler.sweep(limit=MAX_SWEPT)
        self._schedule_sweep()

    def _schedule_sweep(self) -> None:
        check = self.store.next_check()
        if check is None:
            return
        # The first of the schedule at which the check is due, and not this very one again.
        past, due = (self.clock.now() - START) // BETWEEN_SWEEPS, -((START - check) // BETWEEN_SWEEPS)
        moment = START + max(past + 1, due) * BETWEEN_SWEEPS
        if moment not in self._sweeps:
            self._sweeps.add(moment)
            self.clock.at(moment, self._sweep)
