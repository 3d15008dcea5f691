"""`python -m tests.simulation`: simulate stories until time is over, or so many of them, or repeat one.

Fails where an invariant does not hold, or where something that can happen never did.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, islice
from multiprocessing import Pool
from random import SystemRandom

from tests.simulation.kinds import kinds
from tests.simulation.report import Tally, missing, report
from tests.simulation.shrink import shrunk
from tests.simulation.story import simulate
from tests.simulation.violation import WHOLE, Less, Violation
from tests.simulation.world import KEPT

AT_ONCE = 50
"""Stories a core is given at once."""

INTERRUPTED = 130
"""What a shell returns for a command that ^C ended."""

BETWEEN_WORDS = 30
"""Seconds, after which it is said how far it is."""


def main() -> int:
    """Return 0 if everything held, and everything happened."""
    options = _options()
    if options.seed is not None:
        return _replay(options.seed, options.kept, Less(options.moves, frozenset(options.without)))
    first = SystemRandom().randrange(10**9) if options.start is None else options.start
    tally, began, said = Tally(), time.monotonic(), time.monotonic()
    until = None if options.stories else began + 60 * options.minutes
    print(f"from seed {first}", file=sys.stderr)
    interrupted = True
    # A million stories take days of one core: ^C ends the run, and reports those that were finished.
    with suppress(KeyboardInterrupt):
        for told in _told(first, options, until):
            if isinstance(told, str):
                print(told)
                return 1
            tally += told
            if time.monotonic() > said + BETWEEN_WORDS:
                said = time.monotonic()
                print(f"{tally.stories:,} stories, {tally.stories / (said - began):.1f} a second", file=sys.stderr)
        interrupted = False
    known = kinds([options.kept] if options.kept else KEPT)
    print("\n".join(report(tally, known)))
    print(f"{tally.stories:,} stories from seed {first}, in {time.monotonic() - began:.0f} s")
    if interrupted:
        print("interrupted: whether everything happened is not known")
        return INTERRUPTED
    never = missing(tally, known)
    print(f"never happened: {', '.join(never)}" if never else "everything held, and everything happened")
    return 1 if never else 0


def _told(first: int, options: argparse.Namespace, until: float | None) -> Iterator[Tally | str]:
    """Yield what came of each batch of stories, from the seed `first` on."""
    seeds: Iterator[int] = iter(range(first, first + options.stories)) if options.stories else count(first)
    cores = options.cores or ((os.cpu_count() or 1) if options.stories else 1)
    with Pool(cores, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        while batch := [*islice(seeds, cores * AT_ONCE)]:
            parts = [(batch[core::cores], options.kept) for core in range(cores)]
            yield from pool.starmap(tell, parts)
            if until is not None and time.monotonic() > until:
                return


def tell(seeds: list[int], kept: str | None) -> Tally | str:
    """Simulate stories, and return what happened in them, or what is violated in the first one, cut short."""
    tally = Tally()
    for seed in seeds:
        try:
            tally.add(simulate(seed, kept))
        except Violation as violation:
            return str(shrunk(violation))
    return tally


def _replay(seed: int, kept: str | None, less: Less = WHOLE) -> int:
    try:
        print("\n".join(simulate(seed, kept, less).lines))
    except Violation as violation:
        print("\n".join(violation.trace.lines), f"violated: {'; '.join(violation.violations)}", sep="\n")
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2, help="how long to simulate, on one core unless given")
    parser.add_argument("--stories", type=int, help="how many to simulate instead, on all cores unless given")
    parser.add_argument("--cores", type=int, help="how many processes simulate")
    parser.add_argument("--seed", type=int, help="repeat this story, and print its trace")
    parser.add_argument("--moves", type=int, help="of the repeated story, so many moves")
    parser.add_argument("--without", action="append", default=[], help="of the repeated story, all faults but this one")
    parser.add_argument("--from", type=int, dest="start", help="the first seed; by chance unless given")
    parser.add_argument("--kept", choices=KEPT, help="where tasks are kept; each seed draws it unless given")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
