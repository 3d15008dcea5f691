"""The costs on docs/limits.md are the committed counts, times the list prices."""

import re
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.limits.pace import CALLS_HOLD_UNTIL_AGE, HOLD_UNTIL_AGE
from tests.cost import counts, prices
from tests.cost.bill import Stage
from tests.cost.page import PAGE, blocks, of_page
from tests.cost.waits import Unit
from tests.scale.policies import WAYS

COMMITTED = counts.read()
STAGE = Stage(settings=COMMITTED["settings"])
COUNTED = COMMITTED["counts"]
STARTS_AND_ENDS = 1
"""Seconds that a task takes on the emulator beyond those of its tool."""


def test_the_tables_are_those_of_the_counts_and_the_prices() -> None:
    """`make cost` writes them, and `make scale` the last one."""
    assert of_page(PAGE.read_text()) == blocks()


def test_every_price_has_a_source() -> None:
    found = [each for each in vars(prices).values() if isinstance(each, prices.Price)]

    assert prices.REQUEST in found
    assert all(each.dollars > 0 and re.search(r"https://|the same", each.source) for each in found)


def test_a_bill_is_counts_times_prices() -> None:
    """The one of a poll by hand: a request, its answer, one short function, two reads, and what is logged of it."""
    poll = COUNTED["tasks/get 2025-11-25"]
    each = poll["functions"]["serve_mcp"]
    bill = STAGE.bill(poll)

    assert poll["requests"] == each["invocations"] == 1
    assert bill.gateway == pytest.approx(3.5e-6 + poll["bytes_out"] * 0.09e-9)
    assert bill.table == pytest.approx(each["read_units"] * 0.125e-6)
    # 1 GB of memory is more than half a CPU.
    seconds = (each["cpu_ms"] * 1769 / 1024 + each["calls"]["dynamodb.GetItem"] * 4) / 1000
    assert bill.functions == pytest.approx(0.2e-6 + seconds * 13.3334e-6)
    assert bill.total == pytest.approx(bill.gateway + bill.table + bill.functions + bill.logs)


@pytest.mark.parametrize("seconds", [1, 10, 60])
@pytest.mark.parametrize(("counted", "way"), [("wait", "tasks/result"), ("polled", "polling")])
def test_a_simulated_wait_takes_what_was_counted(counted: str, way: str, seconds: int) -> None:
    """So that longer ones, which nobody counts, are simulated."""
    found = COUNTED[f"{counted} {seconds} s"]
    held = sum(each["held_seconds"] for each in found["functions"].values())
    simulated = Unit(request=1, held_second=1).waited(seconds + STARTS_AND_ENDS, WAYS[way])

    # A client that polls is answered sooner on this machine than by a network, and fetches the result at last.
    assert simulated.requests == pytest.approx(found["requests"], rel=0.15, abs=3)
    assert simulated.held == pytest.approx(held, rel=0.05, abs=2)


@pytest.mark.parametrize(
    ("counted", "holder", "held"),
    [("wait", "await_task", HOLD_UNTIL_AGE), ("polled", "serve_mcp", CALLS_HOLD_UNTIL_AGE)],
)
def test_a_connection_is_held_for_as_long_as_that_is_cheaper_than_to_look(
    counted: str, holder: str, held: timedelta
) -> None:
    unit = Unit.of(STAGE, COUNTED[f"{counted} 60 s"], holder)

    # A sixth more or less is 2 % of what a wait of a minute costs.
    assert held.total_seconds() == pytest.approx(unit.held_until, rel=0.15)


def changed(**numbers: Any) -> list[str]:
    """Return what is said of counts in which a task of 1 KB has other numbers."""
    task = {**COUNTED["task 1 KB"], **numbers}
    return counts.differences(COMMITTED, {**COMMITTED, "counts": {**COUNTED, "task 1 KB": task}})


def test_other_counts_are_told_from_the_committed_ones() -> None:
    assert changed() == []
    assert changed(transitions=3) == ["counts / task 1 KB / transitions: 2 is committed, 3 was counted"]
    serving = COUNTED["task 1 KB"]["functions"]["serve_mcp"]
    more = {**COUNTED["task 1 KB"]["functions"], "serve_mcp": {**serving, "write_units": serving["write_units"] + 1}}
    assert len(changed(functions=more)) == 1
    slower = {**COUNTED["task 1 KB"]["functions"], "serve_mcp": {**serving, "cpu_ms": serving["cpu_ms"] * 1.5}}
    assert changed(functions=slower) == []
