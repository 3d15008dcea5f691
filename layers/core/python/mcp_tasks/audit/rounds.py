"""Has anchoring run each minute while audit records are written, and seldom while none are.

The first record of a chain wakes it: a subscription filter of its log group invokes the function, which enables the
rule that invokes it each minute.  Each round that finds records keeps the rule enabled for as long as the chains of
these may go on; a round that finds nothing after that disables it.  A rare schedule anchors what nobody woke it for.
"""

from datetime import datetime
from typing import Protocol

from mcp_tasks.audit.anchoring import Anchoring
from mcp_tasks.limits.audit import AWAKE_FOR, WOKEN_LATE
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record


class Schedule(Protocol):
    """What runs a round each minute while it is enabled."""

    def enable(self) -> None:
        """Have rounds run from now on; may be repeated."""

    def disable(self) -> None:
        """Have no round run; may be repeated."""


class Wakefulness(Protocol):
    """Until when rounds run, whatever they find."""

    def awake_until(self) -> datetime:
        """Return the time; long ago where none was stored."""

    def stay_awake(self, until: datetime) -> None:
        """Store the time."""


@record
class Rounds:
    """The rounds of a stage; several at once do no harm."""

    anchoring: Anchoring
    wakefulness: Wakefulness
    schedule: Schedule
    clock: Clock

    def wake(self) -> None:
        """Have rounds run for the record that has just been logged; it may not be readable yet."""
        # The next round, which finds the record, prolongs the time by itself.
        if self.wakefulness.awake_until() < self.clock.now() + WOKEN_LATE:
            self._stay_awake()

    def run(self) -> int:
        """Anchor what was logged until now, and return how many records that were."""
        count = self.anchoring.run()
        if count:
            self._stay_awake()
        elif (until := self.wakefulness.awake_until()) < self.clock.now():
            self.schedule.disable()
            if self.wakefulness.awake_until() != until:
                # Somebody woke it in between, whose enabling may have come first.
                self.schedule.enable()
        return count

    def _stay_awake(self) -> None:
        # First, so that no time is stored in which nothing runs.
        self.schedule.enable()
        self.wakefulness.stay_awake(self.clock.now() + AWAKE_FOR)
