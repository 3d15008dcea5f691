"""How long the run of a task without an execution may work, by the clock of its own process, and what it survives."""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from mcp_tasks.engine import lease_keeping
from mcp_tasks.engine.lease_keeping import OUT_OF_TIME, LeaseKeeping
from mcp_tasks.limits.waits import BETWEEN_RENEWALS
from mcp_tasks.ports.run_host import LoadedRun
from tests.contract.process import Fuse
from tests.kit import ADA, Differing, FixedClock
from tests.unit.direct import Direct

MINUTE = timedelta(minutes=1)


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


TIMEOUT = 3 * MINUTE + timedelta(seconds=10)
"""A run that lasts so long renews its lease 9 times; the last renewal comes less than its time before the end."""


class Kept:
    """A run whose lease is kept to the end of its time; the host fails at one of the calls that keep it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, ahead: int = 0, fails_at: int | None = None) -> None:
        made = Direct(timeout=TIMEOUT)
        task, began = made.start(), made.clock.now()
        monkeypatch.setattr(lease_keeping, "threading", waiting_on(made.clock))
        host = made.host("the first")
        run = host.load()
        assert isinstance(run, LoadedRun)
        self.fuse = Fuse(number=fails_at, burn=self._fail)
        with LeaseKeeping(clock=Differing(made.clock, ahead * MINUTE))(self.fuse.around(host), run):
            self.lasted = made.clock.now() - began
        self.outcome = made.tasks.outcome(ADA, task.id)

    def _fail(self) -> None:
        raise RuntimeError


@pytest.mark.parametrize("ahead", [-10, -4, 0, 4, 10])
def test_a_run_has_its_time_though_its_clock_differs_from_that_of_its_host(
    ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(monkeypatch, ahead=ahead)

    assert (kept.lasted, kept.outcome) == (TIMEOUT, OUT_OF_TIME)
    assert kept.fuse.calls == [*["renew"] * 9, "finish"]


def test_a_renewal_that_fails_is_logged_and_the_next_ones_come_in_their_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept(monkeypatch, fails_at=2)

    assert (kept.lasted, kept.outcome) == (TIMEOUT, OUT_OF_TIME)
    assert kept.fuse.calls == [*["renew"] * 9, "finish"]
    (record,) = caplog.records
    assert (record.levelname, vars(record)["fallback"]) == ("ERROR", "lease_not_renewed")
    assert record.exc_info


def test_an_end_that_could_not_be_recorded_is_tried_again_a_while_later(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(monkeypatch, fails_at=9)

    assert (kept.lasted, kept.outcome) == (TIMEOUT + BETWEEN_RENEWALS, OUT_OF_TIME)
    assert kept.fuse.calls == [*["renew"] * 9, "finish", "finish"]


def test_the_thread_ends_with_its_run_however_that_ends_and_holds_up_no_process() -> None:
    made = Direct(timeout=TIMEOUT)
    made.start()
    host = made.host("the first")
    run = host.load()
    assert isinstance(run, LoadedRun)
    before = {*threading.enumerate()}

    with suppress(ZeroDivisionError), LeaseKeeping(clock=made.clock)(host, run):
        (keeper,) = {*threading.enumerate()} - before
        assert (keeper.name, keeper.daemon) == ("lease", True)
        raise ZeroDivisionError
    keeper.join(timeout=10)
    assert not keeper.is_alive()
