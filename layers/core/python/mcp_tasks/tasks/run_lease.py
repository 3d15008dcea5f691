"""The lease of a run, for tasks without an execution: only the run that holds it runs the tool; pure, no I/O.

Lambda may deliver the event that starts a run never, once or twice.  So a run takes the lease before it begins, renews
it while it works, and counts as dead when the lease has lapsed.
"""

from datetime import datetime

from mcp_tasks.limits.waits import GRACE, MAX_DIRECT_RUNS, RUN_LEASE
from mcp_tasks.tasks.model import RunLease, Task


def is_held(task: Task, now: datetime) -> bool:
    """Return whether a run holds the task's lease, which has not lapsed."""
    return task.lease is not None and task.lease.until > now


def is_spent(task: Task, now: datetime) -> bool:
    """Return whether the lease of the last run that the task may have has lapsed."""
    return task.lease is not None and task.lease.number >= MAX_DIRECT_RUNS and not is_held(task, now)


def granted(task: Task, run: str, now: datetime) -> RunLease | None:
    """Return the lease that a run may take, which is its own again while it holds it; None if it may not begin."""
    if is_held(task, now):
        return task.lease if _holds(task, run) else None
    # Run names are those that adopters' code gives: one that comes again later is counted like any other.
    if is_spent(task, now):
        return None
    number = 1 if task.lease is None else task.lease.number + 1
    # Nobody could take the place of the last one, so that it need not renew: no run that works is ever given up.
    term = RUN_LEASE if number < MAX_DIRECT_RUNS else task.timeout + GRACE
    return RunLease(run=run, number=number, until=now + term)


def renewed(task: Task, run: str, now: datetime) -> RunLease | None:
    """Return the lease that a run holds from now on, or None if another run has taken it.

    No renewal extends it beyond the time that the task's work may last.
    """
    if task.lease is None or not _holds(task, run):
        return None
    until = min(now + RUN_LEASE, task.due_at + GRACE)
    return RunLease(run=run, number=task.lease.number, until=max(task.lease.until, until))


def _holds(task: Task, run: str) -> bool:
    # Runs of an earlier release have no names, so that each is another one.
    return task.lease is not None and task.lease.run == run != ""
