"""`python -m tests.simulation`: simulate stories until time is over, or repeat one of them.

Fails where an invariant does not hold, or where something that can happen never did.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from random import SystemRandom

from tests.simulation.story import Violation, kinds, simulate
from tests.simulation.world import KEPT


def main() -> int:
    """Return 0 if everything held, and everything happened."""
    options = _options()
    if options.seed is not None:
        return _replay(options.seed, options.kept)
    first = SystemRandom().randrange(10**9) if options.start is None else options.start
    counts, stories, lines, until = Counter[str](), 0, 0, time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        try:
            trace = simulate(first + stories, options.kept)
        except Violation as violation:
            print(violation)
            return 1
        stories, lines, counts = stories + 1, lines + len(trace.lines), counts + trace.counts
    print(f"{stories} stories from seed {first}, {lines} lines of trace")
    missing = report(counts, kinds([options.kept] if options.kept else KEPT))
    print(f"never happened: {', '.join(missing)}" if missing else "everything held, and everything happened")
    return 1 if missing else 0


def report(counts: Counter[str], known: Sequence[str]) -> list[str]:
    """Print how often everything happened, and return what never did."""
    for kind in known:
        print(f"  {kind:<44}{counts[kind]:>9}")
    calls = Counter({kind: number for kind, number in counts.items() if kind.startswith("call: ")})
    struck = len({kind.rpartition(": ")[0] for kind in calls})
    print(f"  {calls.total()} faults at {struck} calls, in {len(calls)} of their combinations")
    return [kind for kind in known if not counts[kind]]


def _replay(seed: int, kept: str | None) -> int:
    try:
        print("\n".join(simulate(seed, kept).lines))
    except Violation as violation:
        print("\n".join(violation.trace.lines), f"violated: {'; '.join(violation.violations)}", sep="\n")
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2, help="how long to simulate")
    parser.add_argument("--seed", type=int, help="repeat this story, and print its trace")
    parser.add_argument("--from", type=int, dest="start", help="the first seed; by chance unless given")
    parser.add_argument("--kept", choices=KEPT, help="where tasks are kept; each seed draws it unless given")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
