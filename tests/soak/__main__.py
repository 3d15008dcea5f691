"""`python -m tests.soak --minutes 60`: load and faults, then calm; fails where anything was lost, or is left over."""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from random import Random, SystemRandom
from tempfile import TemporaryDirectory
from typing import Final

from local.emulator import EXAMPLES
from local.stack import Stack, running_stack
from tests.soak.alarms import EXPECTED, went_off
from tests.soak.crowd import SERVER_ERROR, Crowd
from tests.soak.faults import FAILING, Faults
from tests.soak.leftovers import wait_for_calm
from tests.soak.memory import EMULATOR, Growth, Memory
from tests.soak.official import OfficialClients
from tests.soak.outages import drawn
from tests.soak.traces import lacking
from tests.soak.written import errors

TOOLS: Final = "tests.soak.sample_tools"
MAX_RUNNING: Final = 6
"""So few that tasks queue."""

FLAT: Final = 40.0
"""MB that a process of a function may grow from when it is warm: caches that have a bound fill up, and `anchor_audit`
has what was logged in six minutes, of which it has read nothing yet if it is warm in an outage, and the heads of the
chains of two hours."""


def main() -> int:
    """Return 0 if nothing was lost, nothing is left over, and no process and no alarm did what it should not."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    given = parser.parse_args()
    print(f"seed {given.seed}, {given.minutes:g} minutes", flush=True)
    with running_stack(app=EXAMPLES, tools=TOOLS, max_running_tasks=MAX_RUNNING) as stack:
        wrong = list(_soak(stack, given.minutes, given.seed))
    print(*(f"WRONG: {each}" for each in wrong), sep="\n")
    return 1 if wrong else 0


def _soak(stack: Stack, minutes: float, seed: int) -> Iterator[str]:
    """Have the load, the faults and then the calm; yield what was wrong."""
    began = datetime.now(UTC)
    crowd, memory = Crowd(stack=stack, seed=seed), Memory(stack=stack)
    faults = Faults(stack=stack, random=Random(seed), outages=drawn(minutes, Random(seed)))
    official = OfficialClients(stack=stack, faults=faults)
    for part in (crowd, memory, faults, official):
        part.begin()
    time.sleep(minutes * 60)
    for part in (faults, official, crowd):
        part.end()
    left = wait_for_calm(stack)
    crowd.leave()
    memory.end()
    _print("tasks", _counted(crowd.tally.ended))
    _print("replies by status", _counted(crowd.tally.replies))
    _print("official clients", _counted(official.counted))
    _print("faults", _counted(faults.counted))
    _print("seconds from the end of an outage until each task at work had gone on", faults.recoveries)
    _print("outages for which there was no time", map(str, faults.outages))
    _print("memory, MB, of the process of each function that grew most", _most_grown(memory.grown))
    _print("errors that functions wrote", _counted(errors(stack)))
    yield from (*crowd.tally.wrong, *official.wrong, *faults.wrong, *left)
    failures = crowd.tally.failures
    alone = [at for sent, at, _ in failures if not faults.beside(sent, at, of=FAILING)]
    print(f"requests that failed: {len(failures)}, of which {len(alone)} beside no fault")
    yield from (f"a request failed beside no fault, at {at:%H:%M:%S}" for at in alone)
    yield from (f"{each.name} grew: {_grown(each)}" for each in memory.grown if _grew(each))
    gaps = list(lacking(stack, crowd.tally.followed))
    print(f"traces: {len(crowd.tally.followed):,} tasks, of which {len(gaps)} have a gap")
    yield from gaps
    yield from _unexpected(stack, began, [at for _, at, status in failures if status >= SERVER_ERROR])


def _unexpected(stack: Stack, began: datetime, errors_at: Sequence[datetime]) -> Iterator[str]:
    with TemporaryDirectory() as folder:
        alarms = went_off(stack, began, Path(folder), errors_at)
    _print("alarms", (f"{each}: {EXPECTED.get(each, 'nobody knows why')}" for each in sorted(alarms)))
    yield from (f"the alarm {each} went off" for each in sorted(alarms - EXPECTED.keys()))


def _print(title: str, lines: Iterable[str]) -> None:
    print(f"{title}:", *lines, sep="\n  ")


def _counted(counted: dict[str, int] | dict[int, int]) -> Iterator[str]:
    return (f"{name}: {number:,}" for name, number in sorted(counted.items(), key=str))


def _most_grown(grown: Iterable[Growth]) -> Iterator[str]:
    for _, each in groupby(grown, key=attrgetter("name")):
        processes = list(each)
        yield f"{_grown(max(processes, key=attrgetter('grown')))}, of {len(processes)}"


def _grown(each: Growth) -> str:
    return f"{each.name}: {each.first:.0f} to {each.last:.0f} in {each.minutes:.0f} min, {each.slope:+.1f} an hour"


def _grew(each: Growth) -> bool:
    return each.name != EMULATOR and each.grown > FLAT


if __name__ == "__main__":
    sys.exit(main())
