"""What code that holds the tickets of a task without an execution gains by them: no run more, and no longer one."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.limits.waits import GRACE, MAX_DIRECT_RUNS, RUN_LEASE, UNNOTICED
from mcp_tasks.ports.run_host import RunNotWanted
from mcp_tasks.tasks.model import InputRequest, State
from tests.kit import ADA, EVE
from tests.unit.direct import Direct

MINUTE = timedelta(minutes=1)
ROOTS = InputRequest(key="roots", method="roots/list", params={})


@pytest.mark.parametrize(
    "forged",
    [
        lambda ticket: None,
        lambda ticket: ticket.replace(ADA.owner_key, EVE.owner_key),
        lambda ticket: ticket[:-1] + ("A" if ticket[-1] != "A" else "B"),
    ],
    ids=["none", "another tenant's", "changed"],
)
def test_an_event_with_a_forged_ticket_leads_to_no_run(forged: Callable[[str], object]) -> None:
    made = Direct()
    task = made.start()
    (event,) = made.events.take()

    with pytest.raises(RunInterrupted):
        made.does.runner.runner.answer({**event, "ticket": forged(event["ticket"])})
    assert (made.attempts, made.lease(task)) == ([], None)


def test_no_run_has_the_place_of_one_whose_lease_is_over_though_it_gives_the_same_name() -> None:
    made = Direct()
    task = made.start()
    host = made.host("the same")
    for number in range(1, MAX_DIRECT_RUNS + 1):
        host.load()
        host = made.host("the same")
        lease = made.lease(task)
        assert lease
        assert lease.number == number
        made.clock.advance(lease.until - made.clock.now())

    with pytest.raises(RunNotWanted):
        host.load()


def test_a_run_whose_name_an_earlier_release_does_not_say_is_one_of_its_own() -> None:
    made = Direct()
    made.start()
    made.host("").load()

    with pytest.raises(RunNotWanted):
        made.host("").load()


def test_a_run_that_renews_its_lease_for_ever_is_over_with_the_time_of_its_task() -> None:
    made = Direct(timeout=MINUTE)
    task = made.start()
    over = made.clock.now() + MAX_DIRECT_RUNS * MINUTE + UNNOTICED + GRACE
    while made.tasks.get(ADA, task.id).state is State.WORKING and made.clock.now() < over + MINUTE:
        host = made.host("hostile")
        host.load()
        host.renew()
        made.sweep(after=RUN_LEASE / 2)

    failed = made.tasks.get(ADA, task.id)
    assert (failed.state, failed.holding.slot) == (State.FINISHED, None)


@pytest.mark.parametrize("does", ["request_input", "sleep"])
def test_its_host_suspends_no_such_task(does: str) -> None:
    made = Direct()
    task = made.start()
    host = made.host("hostile")
    host.load()

    with pytest.raises(RunNotWanted):
        host.request_input([ROOTS]) if does == "request_input" else host.sleep(made.clock.now() + MINUTE)
    assert made.tasks.get(ADA, task.id).state is State.WORKING
