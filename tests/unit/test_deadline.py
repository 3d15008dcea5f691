"""A deadline interrupts a block that runs too long."""

import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest

from mcp_tasks.wire.deadline import OutOfTime, deadline

SOON = timedelta(milliseconds=50)


def stare(at: socket.socket) -> None:
    """Wait for what never comes."""
    at.recv(1)


def test_a_block_that_never_ends_is_interrupted() -> None:
    silent, other = socket.socketpair()

    with silent, other, pytest.raises(OutOfTime), deadline(SOON):
        stare(silent)


def test_what_cleans_up_for_ever_is_interrupted_too() -> None:
    def stare_twice(at: socket.socket) -> None:
        try:
            stare(at)
        finally:
            stare(at)

    silent, other = socket.socketpair()

    with silent, other, pytest.raises(OutOfTime), deadline(SOON):
        stare_twice(silent)


def test_no_catch_all_catches_a_control_signal() -> None:
    def stare_calmly(at: socket.socket) -> None:
        with suppress(Exception):
            stare(at)

    silent, other = socket.socketpair()

    with silent, other, pytest.raises(OutOfTime), deadline(timedelta()):
        stare_calmly(silent)


def test_afterwards_nothing_is_interrupted_any_more() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with deadline(timedelta(hours=1)):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0

    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_without_a_limit_and_in_other_threads_nothing_is_armed() -> None:
    def armed(limit: timedelta | None) -> float:
        with deadline(limit):
            return signal.getitimer(signal.ITIMER_REAL)[0]

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(armed, SOON).result() == 0
    assert armed(None) == 0
