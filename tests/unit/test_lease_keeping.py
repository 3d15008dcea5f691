"""How long the run of a task without an execution may work, by the clock of its own process."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from mcp_tasks.engine import lease_keeping
from mcp_tasks.engine.lease_keeping import OUT_OF_TIME, LeaseKeeping
from mcp_tasks.ports.run_host import LoadedRun
from tests.kit import ADA, FixedClock
from tests.unit.direct import Direct

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Differing:
    """The clock of a process that is ahead of the others."""

    clock: FixedClock
    ahead: timedelta

    def now(self) -> datetime:
        return self.clock.now() + self.ahead

    def sleep(self, duration: timedelta) -> None:
        self.clock.sleep(duration)


def waiting_on(clock: FixedClock) -> SimpleNamespace:
    """Return what keeps a lease to its end within the call that starts its thread, in simulated time."""

    class Event:
        def wait(self, seconds: float) -> bool:
            clock.advance(timedelta(seconds=seconds))
            return False

        def set(self) -> None:
            pass

    class Thread:
        def __init__(self, *, target: Callable[..., None], args: tuple[Any, ...], **more: Any) -> None:
            self.start = lambda: target(*args)

    return SimpleNamespace(Event=Event, Thread=Thread)


@pytest.mark.parametrize("ahead", [-10, -4, 0, 4, 10])
def test_a_run_has_its_time_though_its_clock_differs_from_that_of_its_host(
    ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Direct(timeout=3 * MINUTE)
    task, began = made.start(), made.clock.now()
    monkeypatch.setattr(lease_keeping, "threading", waiting_on(made.clock))
    host = made.host("the first")
    run = host.load()
    assert isinstance(run, LoadedRun)

    with LeaseKeeping(clock=Differing(made.clock, ahead * MINUTE))(host, run):
        assert made.clock.now() - began == 3 * MINUTE
    assert made.tasks.outcome(ADA, task.id) == OUT_OF_TIME
