"""`python -m tests.simulation`: simulate stories until time is over, or so many of them, or repeat one.

Fails where an invariant does not hold, or where something that can happen never did.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from random import SystemRandom

from tests.simulation.faults import FAULTS
from tests.simulation.kinds import kinds
from tests.simulation.report import Tally, missing, report
from tests.simulation.shrink import shrunk
from tests.simulation.story import simulate
from tests.simulation.traits import KEPT
from tests.simulation.violation import Less, Violation
from tests.workers import ALL_CORES, BETWEEN_WORDS, INTERRUPTED, at_least, done

AT_ONCE = 10
"""Stories a core is given at once."""

TELLING = 300
"""With fewer stories, something of what can happen happens in none."""


def main() -> int:
    """Return 0 if everything held, and everything happened."""
    options = _options()
    less = Less(options.moves, frozenset(options.without))
    if options.seed is not None:
        return _replay(options.seed, options.kept, less)
    first, began = SystemRandom().randrange(10**9) if options.start is None else options.start, time.monotonic()
    tally, told = Tally(), list[str]()
    print(f"from seed {first}", file=sys.stderr)
    interrupted = True
    # A million stories take days of one core: ^C ends the run, and reports those that were finished.
    with suppress(KeyboardInterrupt):
        told += _simulate(tally, first, less, options)
        interrupted = False
    if told:
        print(*told, sep="\n")
        return 1
    known = kinds([options.kept] if options.kept else KEPT)
    print(*report(tally, known), sep="\n")
    print(f"{tally.stories:,} stories from seed {first}, in {time.monotonic() - began:.0f} s: everything held")
    if interrupted:
        print("interrupted: whether everything happened is not known")
        return INTERRUPTED
    never = missing(tally, known)
    print(f"never happened: {', '.join(never)}" if never else "everything happened")
    return 1 if never and tally.stories >= TELLING else 0


def _simulate(tally: Tally, first: int, less: Less, options: argparse.Namespace) -> Iterator[str]:
    """Simulate stories from the seed `first` on, add them to the tally, and end with what is violated, if anything."""
    cores = options.cores or (ALL_CORES if options.stories else 1)
    began = said = time.monotonic()
    try:
        for told in done(partial(tell, kept=options.kept, less=less), _batches(first, options), cores):
            if isinstance(told, str):
                yield told
                return
            tally += told
            if time.monotonic() > said + BETWEEN_WORDS:
                said = time.monotonic()
                print(f"{tally.stories:,} stories, {tally.stories / (said - began):.1f} a second", file=sys.stderr)
    except BrokenProcessPool:
        yield f"after {tally.stories:,} stories a process was killed: has the machine enough memory?"


def _batches(first: int, options: argparse.Namespace) -> Iterator[range]:
    """Yield the seeds of stories from the `first` one on, a few at a time: so many, or until time is over."""
    end, until = first + (options.stories or sys.maxsize), time.monotonic() + 60 * options.minutes
    for begins in range(first, end, AT_ONCE):
        if options.stories is None and time.monotonic() > until:
            return
        yield range(begins, min(begins + AT_ONCE, end))


def tell(seeds: range, kept: str | None, less: Less) -> Tally | str:
    """Simulate stories, and return what happened in them, or what is violated in the first one, cut short."""
    tally = Tally()
    for seed in seeds:
        try:
            tally.add(simulate(seed, kept, less))
        except Violation as violation:
            return str(shrunk(violation))
    return tally


def _replay(seed: int, kept: str | None, less: Less) -> int:
    try:
        print("\n".join(simulate(seed, kept, less).lines))
    except Violation as violation:
        print("\n".join(violation.trace.lines), f"violated: {'; '.join(violation.violations)}", sep="\n")
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--minutes", type=at_least(1), default=2, help="how long to simulate, on one core unless given")
    parser.add_argument("--stories", type=at_least(1), help="how many to simulate instead, on all cores unless given")
    parser.add_argument("--cores", type=at_least(1), help="how many processes simulate")
    parser.add_argument("--seed", type=int, help="repeat this story, and print its trace")
    parser.add_argument("--moves", type=at_least(0), help="of a story, so many moves; drawn unless given")
    parser.add_argument(
        "--without", action="append", default=[], choices=FAULTS, metavar="FAULT", help="of it, all faults but this one"
    )
    parser.add_argument("--from", type=int, dest="start", help="the first seed; by chance unless given")
    parser.add_argument("--kept", choices=KEPT, help="where tasks are kept; each seed draws it unless given")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
