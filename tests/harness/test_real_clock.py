"""The real clock: it waits for a time, for a condition, and for what threads leave behind."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from mcp_tasks.testing.state_machines.real_clock import RealClock
from mcp_tasks.testing.state_machines.threads import threads_of

TOO_LONG = timedelta(seconds=10)


@pytest.fixture(autouse=True)
def woken() -> Iterator[None]:
    """Fail a test whose wait ended only with its time."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < TOO_LONG.total_seconds()


def test_a_wait_ends_with_its_time() -> None:
    assert not RealClock().wait(timedelta(milliseconds=1))


def test_a_wait_ends_when_its_condition_holds() -> None:
    clock, here = RealClock(), threading.Event()

    def come() -> None:
        here.set()
        clock.notify()

    threading.Timer(0.01, come).start()
    assert clock.wait(TOO_LONG, until=here.is_set)


def test_an_event_wakes_who_waits_for_it() -> None:
    event = threads_of(RealClock()).Event()
    threading.Timer(0.01, event.set).start()

    assert event.wait(TOO_LONG.total_seconds())


def test_a_thread_wakes_who_waits_for_its_end() -> None:
    goes = threading.Event()
    thread = threads_of(RealClock()).Thread(target=goes.wait)
    thread.start()
    threading.Timer(0.01, goes.set).start()

    thread.join()
    assert not thread.is_alive()
