"""`python -m tests.fuzz`: send so many messages of each kind in all revisions, on all cores, or repeat one batch."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from random import SystemRandom
from statistics import quantiles

from tests.fuzz.fuzzer import BATCH, Broken, Tally, fuzz
from tests.revisions import REVISIONS
from tests.workers import ALL_CORES, BETWEEN_WORDS, INTERRUPTED, at_least, done


def main() -> int:
    """Return 0 if nothing broke."""
    options = _options()
    first = SystemRandom().randrange(10**9) if options.batch is None else options.batch
    batches = range(first, first + -(-options.messages // (BATCH * len(REVISIONS))))
    for revision in REVISIONS:
        tally, told = Tally(), list[str]()
        interrupted = True
        with suppress(KeyboardInterrupt):
            told += _fuzz(tally, revision, batches, options.cores)
            interrupted = False
        print(f"{revision}, from batch {first}:", *_lines(tally), *told, sep="\n")
        if told or interrupted:
            return 1 if told else INTERRUPTED
    return 0


def _fuzz(tally: Tally, revision: str, batches: Sequence[int], cores: int) -> Iterator[str]:
    """Send the messages of batches, add them to the tally, and end with what broke, if anything did."""
    said = time.monotonic()
    for told in done(partial(_tell, revision), batches, cores):
        if isinstance(told, str):
            yield told
            return
        tally += told
        if time.monotonic() > said + BETWEEN_WORDS:
            said = time.monotonic()
            print(f"{len(tally.costs):,} messages of {revision}", file=sys.stderr)


def _tell(revision: str, batch: int) -> Tally | str:
    try:
        return fuzz(revision, batch)
    except Broken as broken:
        return str(broken)


def _lines(tally: Tally) -> Iterator[str]:
    """Yield how messages were answered, and what they cost by their length."""
    for (kind, answer), count in sorted(tally.answers.items()):
        yield f"  {kind:<14} {answer:<20} {count:>9,}"
    for name, costs in {
        "messages of up to 2 KB, µs": [cost for cost, length in tally.costs if length <= 2_000],
        "longer ones, ns a byte": [1000 * cost / length for cost, length in tally.costs if length > 2_000],
    }.items():
        if len(costs) > 1:
            cuts = quantiles(costs, n=100)
            yield f"  {name}: p50 {cuts[49]:.0f}, p99 {cuts[98]:.0f}, at most {max(costs):.0f}"
    yield f"  {len(tally.costs):,} messages, none of which broke anything"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--messages", type=at_least(1), default=20_000, help="how many, of all revisions together")
    parser.add_argument("--batch", type=int, help="the first batch; by chance unless given")
    parser.add_argument("--cores", type=at_least(1), default=ALL_CORES, help="how many processes send")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
