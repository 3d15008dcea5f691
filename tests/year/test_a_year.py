"""What a stage stores after a year is what lives then, and what it promised for a while, it kept."""

from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from mcp_tasks.limits.waits import COUNTER_LIFETIME
from tests.chance import seeded
from tests.kit import ADA, BOB, EVE
from tests.revisions import REVISIONS, module_of
from tests.year.stage import LATEST_TTL, Stage

DAYS = 400
DAY = timedelta(days=1)
STEADY = 20
"""Days, after which as much expires as is new."""

EACH_QUARTER = 90
CALLERS = (ADA, BOB, EVE)


@pytest.mark.parametrize("days", [60, pytest.param(DAYS, marks=pytest.mark.slow)])
def test_after_a_year_as_much_is_stored_as_after_three_weeks_and_in_the_end_nothing(days: int) -> None:
    random = Random(days)
    with seeded(random):
        stage, counted, yesterday = Stage(random), [], list[Day]()
        for number in range(days):
            today = [Day(stage, revision, random) for revision in REVISIONS]
            for day in yesterday:
                day.check_the_day_after()
            if number % EACH_QUARTER == 0:
                stage.rotate_keys()
            stage.pass_time(DAY / 2)
            for day in today:
                day.check_hours_later()
            stage.pass_time(DAY / 2)
            counted.append(Counter(stage.kinds()))
            yesterday = today
        steady = counted[STEADY]
        for kind, count in counted[-1].items():
            assert count <= 1.5 * steady[kind] + 10, f"{kind}: {[each[kind] for each in counted[::30]]}"
        assert set(Counter(stage.kinds())) <= set(steady) | {"key"}
        stage.pass_time(COUNTER_LIFETIME + LATEST_TTL + DAY, at_once=DAY)
        assert Counter(stage.kinds()) == {}


class Day:
    """What a client of a revision does on a day: a task that ends, one that dies, one cancelled, one asked in vain."""

    def __init__(self, stage: Stage, revision: str, random: Random) -> None:
        caller = random.choice(CALLERS)
        self._client: Any = module_of(revision, "client").Client(stage.harness, caller)
        getattr(self._client, "initialize", lambda: None)()
        self._ended, _, cancelled, asks = (
            self._client.start(tool) for tool in ("ponder", "ponder", "ponder", "convene")
        )
        stage.deliver()
        stage.harness.run(self._ended, caller)
        stage.harness.run(asks, caller)
        self._client.cancel_task(cancelled)
        stage.deliver()
        self._cursor = self._client.result("tools/list")["nextCursor"]

    def check_the_day_after(self) -> None:
        """Check that what was good for a day is good no longer, its session or its cursor."""
        assert "error" in self._next_page()

    def check_hours_later(self) -> None:
        """Check that it is good for hours, whatever key signs by then."""
        assert "result" in self._next_page()

    def _next_page(self) -> Any:
        return self._client.send_request("tools/list", {"cursor": self._cursor}).response
