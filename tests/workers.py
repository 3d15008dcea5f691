"""Work on several cores at once, which ^C ends soon, and which ends as well where a process is killed."""

import argparse
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

ALL_CORES = os.cpu_count() or 1

INTERRUPTED = 130
"""What a shell returns for a command that ^C ended."""

BETWEEN_WORDS = 30
"""Seconds, after which it is said how far it is."""


def done(do: Callable[[Item], Made], items: Iterable[Item], cores: int = ALL_CORES) -> Iterator[Made]:
    """Yield what `do` makes of each item, as soon as it does; items are taken as they are needed.

    Raises `BrokenProcessPool` where a process was killed.
    """
    left = iter(items)
    # The process that waits for them is told of ^C, and no other.
    with ProcessPoolExecutor(cores, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        under_way = {pool.submit(do, item) for item in islice(left, 2 * cores)}
        try:
            while under_way:
                finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                under_way |= {pool.submit(do, item) for item in islice(left, len(finished))}
                yield from (each.result() for each in finished)
        finally:
            pool.shutdown(cancel_futures=True)


def at_least(least: int) -> Callable[[str], int]:
    """Return what reads an option that is a number, and refuses a smaller one."""

    def number(text: str) -> int:
        with suppress(ValueError):
            if int(text) >= least:
                return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} up")

    return number
