"""Work on several cores: all of it is done, it is taken as it is needed, and it ends where a process is killed."""

import argparse
import os
import signal
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice

import pytest

from tests.workers import at_least, done


def square(number: int) -> int:
    return number * number


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_all_items_are_done() -> None:
    assert sorted(done(square, range(20), cores=2)) == [each * each for each in range(20)]


def test_of_items_without_end_no_more_are_taken_than_are_needed() -> None:
    numbers = count()

    assert len([*islice(done(square, numbers, cores=1), 5)]) == 5
    assert next(numbers) < 20


def test_where_a_process_is_killed_it_ends() -> None:
    with pytest.raises(BrokenProcessPool):
        next(done(die, range(3), cores=1))


@pytest.mark.parametrize("text", ["0", "-5", "", "x", "1.5", "--1"])
def test_what_is_no_number_or_too_small_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is no whole number from 1 up"):
        at_least(1)(text)
