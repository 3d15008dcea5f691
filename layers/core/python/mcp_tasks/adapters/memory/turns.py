"""Whose turn it is among the queued tasks of a tenant, by what its tasks hold; without I/O."""

from dataclasses import replace
from datetime import datetime
from itertools import chain

from mcp_tasks.adapters.memory.live import PLACE, SHARED, SLOT, LiveTasks
from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.notifications import first_check
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import advance


def placed(live: LiveTasks, owner_key: str, task: Task, plan: Plan) -> Task:
    """Return a task as it is to be stored: one that becomes queued is started if nothing is in its way."""
    if task.state is not State.QUEUED or task.holding.queue is not None:
        return task
    if not task.lacks_slot:
        return advance(task, Started(slot=None), now=task.updated_at)
    tenant = tenant_of(owner_key)
    if live.of_tenant[tenant, PLACE] or not is_free(live, tenant, plan) or not may_run(live, owner_key, plan):
        return replace(task, holding=replace(task.holding, queue=0))
    return advance(task, Started(slot=0), now=task.updated_at)


def is_free(live: LiveTasks, tenant: str, plan: Plan) -> bool:
    """Return whether a slot of the tenant is free."""
    return live.of_tenant[tenant, SLOT] < plan.running_tasks


def may_run(live: LiveTasks, owner_key: str, plan: Plan) -> bool:
    """Return whether the subject runs less than its share."""
    return live.of_subject[owner_key, SLOT] < plan.share_of(plan.running_tasks)


def checked_at(owner_key: str, task: Task) -> datetime | None:
    """Return when a task whose state has changed is to be checked, None for when it was before."""
    if task.state in (State.QUEUED, State.WORKING):
        return task.updated_at + FIRST_CHECK
    return first_check(owner_key, task)


def next_turn(live: LiveTasks, tenant: str, plan: Plan, served: str, now: datetime) -> tuple[str, str] | None:
    """Return owner and id of the first task of the subject that follows the one served last and may run one more."""
    last = (served, True, chr(0x10FFFF))
    for (owner_key, _, task_id), expires_at in chain(live.queue.after(tenant, last), live.queue.after(tenant, None)):
        if expires_at > now and may_run(live, owner_key, plan):
            return owner_key, task_id
    return None


def check_share(live: LiveTasks, owner_key: str, task: Task, plan: Plan) -> None:
    """Raise `TooManyTasks` where the subject may have no further active task."""
    share = plan.share_of(plan.active_tasks)
    if task.holding.active and live.of_subject[owner_key, SHARED] >= share:
        raise TooManyTasks(plan.active_tasks, share=share)
