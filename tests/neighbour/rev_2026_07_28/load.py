"""Load on the emulator, each in a process of its own, and the CPU time that processes take."""

import itertools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from local.http_client import HttpClient
from mcp_tasks.testing.rev_2026_07_28 import Client

SPAWN: Final = multiprocessing.get_context("spawn")
AT_ONCE, WAITERS = 4, 6
"""Requests of a flood that are under way at a time, and connections that wait."""

AGAIN: Final = 1.0
"""Seconds after which a connection is tried again that was not held."""

Counts = Any
"""Of requests: served, refused by the plan, and not answered by the server."""


@contextmanager
def running(target: Callable[..., None], *each: tuple[Any, ...]) -> Iterator[list[int]]:
    """Run a function in one process for each tuple of arguments, and yield the processes' ids once they have begun."""
    ready = SPAWN.Barrier(len(each) + 1)
    started = [SPAWN.Process(target=_begin, args=(ready, target, arguments), daemon=True) for arguments in each]
    for process in started:
        process.start()
    ready.wait()
    try:
        yield [process.pid for process in started if process.pid]
    finally:
        for process in started:
            process.terminate()
            process.join()


def _begin(ready: Any, target: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    ready.wait()
    target(*arguments)


def flood(url: str, tokens: Sequence[str], tasks: Sequence[str], rate: float, counts: Counts) -> None:
    """Send so many requests a second with the tokens in turn, and hold connections for their tasks."""
    clients = [Client(HttpClient(url, token).send) for token in tokens]

    def request(number: int) -> None:
        reply = clients[number % len(clients)].send_request("tools/list")
        kind = 2 if reply.status != 200 else 1 if "error" in reply.message else 0
        with counts.get_lock():
            counts[kind] += 1

    def wait(number: int) -> None:
        place = number % len(clients)
        while True:
            began = time.monotonic()
            clients[place].send_request("subscriptions/listen", {"notifications": {"taskIds": [tasks[place]]}})
            time.sleep(max(0, began + AGAIN - time.monotonic()))

    with ThreadPoolExecutor(WAITERS) as waiters:
        for number in range(WAITERS):
            waiters.submit(wait, number)
        at_rate(rate, request)


def at_rate(rate: float, act: Callable[[int], object]) -> None:
    """Act so many times a second, `AT_ONCE` at a time at the most; what could not begin in time is left out."""

    def one(thread: int) -> None:
        every = AT_ONCE / rate
        due = time.monotonic() + every * thread / AT_ONCE
        for number in itertools.count(thread, AT_ONCE):
            time.sleep(max(0, due - time.monotonic()))
            act(number)
            due = max(due + every, time.monotonic())

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, range(AT_ONCE)))


def cpu_seconds(groups: Sequence[int], processes: Sequence[int]) -> float:
    """Return what all processes of some groups, and some other processes, took so far, with those that they ended."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) in groups or int(file.parent.name) in processes:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
