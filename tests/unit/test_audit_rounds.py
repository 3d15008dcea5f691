"""Anchoring runs each minute while records are written, and only by its rare schedule while none are."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from mcp_tasks.audit.anchoring import Anchoring
from mcp_tasks.audit.chain import Chain
from mcp_tasks.audit.rounds import Rounds
from tests.kit import NOON
from tests.unit.audited import MINUTE, Stage


@dataclass(kw_only=True)
class Deployed:
    """A stage whose rule runs rounds; `meanwhile` happens while the rule is being disabled."""

    stage: Stage = field(default_factory=Stage)
    enabled: bool = False
    until: datetime = NOON - timedelta(days=1)
    runs: int = 0
    meanwhile: Callable[[], None] | None = None

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        if self.meanwhile is not None:
            self.meanwhile()
        self.enabled = False

    def awake_until(self) -> datetime:
        return self.until

    def stay_awake(self, until: datetime) -> None:
        self.until = until

    @property
    def rounds(self) -> Rounds:
        stage = self.stage
        anchoring = Anchoring(anchors=stage.anchors, read=stage.read, clock=stage.clock, find=stage.keys.get)
        return Rounds(anchoring=anchoring, wakefulness=self, schedule=self, clock=stage.clock)

    def pass_minutes(self, count: int) -> None:
        for _ in range(count):
            self.stage.clock.advance(MINUTE)
            if self.enabled:
                self.runs += 1
                self.rounds.run()

    @property
    def anchored(self) -> int:
        return sum(each.anchor.count for each in self.stage.anchors.kept)


def test_idle_stage_runs_nothing() -> None:
    deployed = Deployed()
    deployed.pass_minutes(24 * 60)

    assert deployed.runs == 0


def test_record_that_wakes_it_is_anchored_within_a_minute_and_it_sleeps_a_quarter_of_an_hour_later() -> None:
    deployed = Deployed()
    deployed.stage.write(Chain())
    deployed.rounds.wake()
    deployed.pass_minutes(1)
    assert (deployed.anchored, deployed.enabled) == (1, True)

    deployed.pass_minutes(24 * 60)
    # The first round finds the record, and those of the quarter of an hour after it do not.
    assert (deployed.enabled, deployed.runs) == (False, 17)


def test_record_that_is_readable_late_is_anchored() -> None:
    deployed = Deployed()
    deployed.stage.write(Chain(), late=4 * MINUTE)
    deployed.rounds.wake()
    deployed.pass_minutes(5)

    assert deployed.anchored == 1


def test_later_records_of_a_chain_are_anchored_without_waking_it_again() -> None:
    deployed, chain = Deployed(), Chain()
    deployed.stage.write(chain)
    deployed.rounds.wake()
    deployed.pass_minutes(9)
    last = deployed.stage.write(chain, late=3 * MINUTE)
    assert last["n"] == 2
    deployed.pass_minutes(4)

    assert deployed.anchored == 2


def test_busy_stage_runs_each_minute_and_chains_that_begin_there_write_nothing() -> None:
    deployed = Deployed()
    for _ in range(60):
        deployed.stage.write(Chain())
        before = deployed.until
        deployed.rounds.wake()
        woke = deployed.until != before
        deployed.pass_minutes(1)
        assert woke == (deployed.runs == 1)

    assert (deployed.runs, deployed.anchored) == (60, 60)


def test_chain_that_begins_while_it_goes_to_sleep_keeps_it_awake() -> None:
    deployed = Deployed(enabled=True)
    chain = Chain()

    def wake() -> None:
        deployed.meanwhile = None
        deployed.stage.write(chain, late=MINUTE)
        deployed.rounds.wake()

    deployed.meanwhile = wake
    deployed.pass_minutes(1)
    assert deployed.enabled
    deployed.pass_minutes(2)

    assert deployed.anchored == 1


@pytest.mark.parametrize("left", [timedelta(), timedelta(seconds=30)])
def test_chain_that_begins_shortly_before_it_goes_to_sleep_keeps_it_awake(left: timedelta) -> None:
    deployed = Deployed(enabled=True, until=NOON + left)
    deployed.stage.write(Chain(), late=4 * MINUTE)
    deployed.rounds.wake()
    deployed.pass_minutes(10)

    assert (deployed.anchored, deployed.enabled) == (1, True)


def test_rare_schedule_anchors_what_nobody_woke_it_for_and_wakes_it() -> None:
    deployed, chain = Deployed(), Chain()
    deployed.rounds.run()
    deployed.stage.write(chain)
    deployed.pass_minutes(60)
    assert deployed.anchored == 0
    deployed.rounds.run()
    assert (deployed.anchored, deployed.enabled) == (1, True)
    deployed.stage.write(chain)
    deployed.pass_minutes(1)

    assert deployed.anchored == 2
