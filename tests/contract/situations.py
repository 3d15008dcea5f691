"""How far a task that asks may have come, and what was left undone."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import GRACE, KEPT
from mcp_tasks.tasks.model import Task
from tests.contract.machine import Place
from tests.contract.process import Crash, Fuse
from tests.contract.shop import NAME, Shop
from tests.kit import ADA


def parked_again(shop: Shop) -> Task:
    """Suspend a task twice, the first time with a token of which Step Functions never learned that it was kept."""
    task = shop.suspended()
    execution = shop.machine.executions[task.id]
    execution.place, execution.token = Place.PARK, None
    return task


def answered_meanwhile(shop: Shop) -> Task:
    """Answer a task that is about to be suspended a second time."""
    task = parked_again(shop)
    shop.client(shop.world.process())
    return task


def answered_in_part(shop: Shop) -> Task:
    task = shop.suspended()
    shop.world.process().suspension.answer(ADA, task.id, {"name": NAME})
    return task


def answered_only(shop: Shop) -> Task:
    """Answer a task whose work nobody let go on."""
    task = shop.suspended()
    with pytest.raises(Crash):
        shop.client(shop.world.process(Fuse(number=2)))
    return task


def answered_only_a_minute_ago(shop: Shop) -> Task:
    task = answered_only(shop)
    shop.world.clock.advance(timedelta(minutes=1))
    return task


def out_of_time_in_part(shop: Shop) -> Task:
    """Wait until the time for one of the answers is over."""
    task = shop.suspended()
    shop.world.clock.advance(timedelta(minutes=10))
    shop.machine.time_out(task.id)
    return task


def out_of_time(shop: Shop) -> Task:
    task = answered_in_part(shop)
    shop.world.clock.advance(timedelta(minutes=10))
    shop.machine.time_out(task.id)
    return task


def nobody_answered(shop: Shop) -> Task:
    """Wait until the task has to end, and let nothing come of that."""
    task = shop.suspended()
    shop.world.clock.advance(task.ttl - KEPT + GRACE)
    return task


def nobody_waits(shop: Shop) -> Task:
    """Let Step Functions end its wait, too."""
    task = nobody_answered(shop)
    shop.machine.time_out(task.id)
    return task


def cancelled_only(shop: Shop) -> Task:
    """Cancel a suspended task whose work nobody stopped."""
    task = shop.suspended()
    with pytest.raises(Crash):
        shop.world.process(Fuse(number=2)).tasks.cancel(ADA, task.id)
    return task


def expired_and_deleted(shop: Shop) -> Task:
    task = shop.suspended()
    before = shop.look()
    shop.world.clock.advance(task.ttl)
    shop.world.forget(task, ADA.owner_key)
    return before
