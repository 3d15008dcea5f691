"""Long outages of a story: which services are away now, and how soon tasks went on once they were back."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.tasks.model import State, Task
from tests.kit import FixedClock
from tests.simulation.history import History


@dataclass(slots=True)
class Outages:
    """One follows another: each `ends` at a time of its own."""

    clock: FixedClock
    ends: list[datetime] = field(default_factory=list)
    _services: frozenset[str] = frozenset()

    @property
    def away(self) -> frozenset[str]:
        """The services that are away now."""
        return self._services if self.ends and self.clock.now() < self.ends[-1] else frozenset()

    def begin(self, services: Collection[str], lasting: timedelta) -> None:
        """Have services be away for so long from now on."""
        self._services = frozenset(services)
        self.ends.append(self.clock.now() + lasting)

    def end(self) -> None:
        """Have all services back."""
        if self.away:
            self.ends[-1] = self.clock.now()

    def recoveries(self, history: History) -> Iterator[timedelta]:
        """Yield for each outage how long after its end the last of the tasks went on that it found at work."""
        for end in self.ends:
            waited = [went_on - end for versions in history.versions.values() for went_on in _went_on(versions, end)]
            if waited:
                yield max(waited)


def _went_on(versions: list[Task], end: datetime) -> Iterator[datetime]:
    """Yield when a task was first written after an outage, if it was at work at the end of that."""
    before, after = ([each for each in versions if (each.updated_at < end) is early] for early in (True, False))
    if before and after and before[-1].state in (State.WORKING, State.QUEUED) and before[-1].wakes_at is None:
        yield after[0].updated_at
