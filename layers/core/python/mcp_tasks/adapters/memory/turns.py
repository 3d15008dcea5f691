"""Whose turn it is among the tasks of a tenant, found by looking at all of them; pure, no I/O."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.notifications import first_check
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import advance, is_final

Owned = tuple[str, Task]


def placed(tasks: Iterable[Owned], owner_key: str, task: Task, plan: Plan) -> Task:
    """Return a task as it is to be stored: one that becomes queued is started if nothing is in its way."""
    if task.state is not State.QUEUED or task.holding.queue is not None:
        return task
    if not task.lacks_slot:
        return advance(task, Started(slot=None), now=task.updated_at)
    of_tenant = [(owner, each) for owner, each in tasks if tenant_of(owner) == tenant_of(owner_key)]
    waiting = any(each.holding.queue is not None for _, each in of_tenant)
    if waiting or not is_free(of_tenant, plan) or not may_run(of_tenant, owner_key, plan):
        return replace(task, holding=replace(task.holding, queue=0))
    return advance(task, Started(slot=0), now=task.updated_at)


def is_free(of_tenant: Iterable[Owned], plan: Plan) -> bool:
    """Return whether a slot of the tenant is free."""
    return sum(task.holding.slot is not None for _, task in of_tenant) < plan.running_tasks


def may_run(tasks: Iterable[Owned], owner_key: str, plan: Plan) -> bool:
    """Return whether the subject runs less than its share."""
    running = sum(owner == owner_key and task.holding.slot is not None for owner, task in tasks)
    return running < plan.share_of(plan.running_tasks)


def checked_at(owner_key: str, task: Task) -> datetime | None:
    """Return when a task whose state has changed is to be checked, None for when it was before."""
    if task.state in (State.QUEUED, State.WORKING):
        return task.updated_at + FIRST_CHECK
    return first_check(owner_key, task)


def queue(tasks: Iterable[Owned]) -> list[Owned]:
    """Return the queued tasks by subject, and of each subject those first that were begun, and older before younger."""
    waiting = [(owner, task) for owner, task in tasks if task.state is State.QUEUED and task.holding.queue is not None]
    return sorted(waiting, key=lambda each: (each[0], not each[1].was_begun, each[1].id))


def next_turn(of_tenant: list[Owned], plan: Plan, served: str) -> Owned | None:
    """Return the first task of the subject that follows the one served last, or of the next that may run one more."""
    waiting = [each for each in queue(of_tenant) if may_run(of_tenant, each[0], plan)]
    return next((each for each in waiting if each[0] > served), next(iter(waiting), None))


def check_share(tasks: Iterable[Owned], owner_key: str, task: Task, plan: Plan) -> None:
    """Raise `TooManyTasks` where the subject may have no further active task."""
    share = plan.share_of(plan.active_tasks)
    active = [owner for owner, each in tasks if not is_final(each) and each.holding.active]
    if task.holding.active and active.count(owner_key) >= share:
        raise TooManyTasks(plan.active_tasks, share=share)
