"""`python -m tests.fuzz`: send so many messages of each kind in all revisions, on all cores, or repeat one batch."""

import argparse
import os
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from random import SystemRandom
from statistics import quantiles

from tests.fuzz.fuzzer import BATCH, Broken, Tally, fuzz
from tests.revisions import REVISIONS


def main() -> int:
    """Return 0 if nothing broke."""
    options = _options()
    first = SystemRandom().randrange(10**9) if options.batch is None else options.batch
    batches = range(first, first + -(-options.messages // (BATCH * len(REVISIONS))))
    for revision in REVISIONS:
        tally = Tally()
        with Pool(options.cores or os.cpu_count()) as pool:
            for told in pool.imap_unordered(partial(_tell, revision), batches, chunksize=4):
                if isinstance(told, str):
                    print(told)
                    return 1
                tally += told
        print(f"{revision}, from batch {first}:", *_lines(tally), sep="\n")
    return 0


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
    parser.add_argument("--messages", type=int, default=20_000, help="how many to send, of all revisions together")
    parser.add_argument("--batch", type=int, help="the first batch; by chance unless given")
    parser.add_argument("--cores", type=int, help="how many processes send; all cores unless given")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
