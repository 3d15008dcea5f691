"""`python -m tests.mutation`: mutate a folder or a module of the core, and compare what survives with the list."""

import argparse
import os
from collections import Counter
from pathlib import Path

from tests.checkout import ROOT
from tests.mutation.mutmut import results, run, survivors
from tests.mutation.survivors import LISTED, differences
from tests.mutation.workplace import CORE, make_workplace, near

PLACE = Path(".local/mutants")


def main() -> int:
    """Return 0 if just those mutants survive that are listed."""
    options = _options()
    chosen, place = options.of.strip("/"), ROOT / PLACE
    if not (ROOT / CORE / chosen).exists():
        raise SystemExit(f"There is no {CORE / chosen}.")
    make_workplace(place, chosen, options.tests or near(chosen))
    run(place, options.cores or os.cpu_count() or 1)
    found = results(place)
    counts = Counter(found.values())
    print(
        f"{len(found):,} mutants of {chosen}:",
        *(f"  {status} {count:,}" for status, count in counts.most_common()),
        sep="\n",
    )
    unlisted, gone = differences(survivors(place, found), LISTED.read_text(), chosen)
    if unlisted:
        print(f"Survive, and are not in {LISTED.relative_to(ROOT)}:", *unlisted, sep="\n")
    if gone:
        print("Are listed, and did not survive or are no more:", *gone, sep="\n")
    return 1 if unlisted or gone else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--of", default="tasks", help="a folder or a module of the core, such as tasks/pace.py")
    parser.add_argument("--tests", nargs="+", help="other tests than those near it: fewer notice less")
    parser.add_argument("--cores", type=int, help="how many processes run tests; all cores unless given")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
