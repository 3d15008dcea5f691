"""`make cost`: counts on the emulator what AWS would bill, and makes tables of docs/limits.md of it; or compares."""

import argparse
import importlib
import sys
from importlib.util import find_spec

from local.emulator import EXAMPLES
from local.stack import running_stack
from tests.cost.counts import differences, keep, read
from tests.cost.page import write
from tests.cost.stage import settings_of

SCENARIOS = "tests.cost.rev_2025_11_25_with_rev_2026_07_28"


def main() -> int:
    """Count, and write or compare; returns the exit status, 1 where the committed counts are others."""
    parser = argparse.ArgumentParser(prog="make cost")
    parser.add_argument("--check", action="store_true", help="compare with the committed counts, and write nothing")
    parser.add_argument("--only", action="append", default=[], help="the name of what to count, in place of all")
    given = parser.parse_args()
    if find_spec(SCENARIOS) is None:
        sys.exit("The counts are of two revisions of the protocol, one of which this project does not have.")
    scenarios = importlib.import_module(f"{SCENARIOS}.scenarios").Scenarios
    counts = dict(read()["counts"]) if given.only else {}
    with running_stack(app=EXAMPLES, tools="tests.cost.sample_tools") as stack:
        settings = settings_of(stack)
        every = scenarios.of(stack).all()
        if unknown := set(given.only) - every.keys():
            sys.exit(f"{', '.join(sorted(unknown))} is none of: {', '.join(every)}.")
        for name in given.only or every:
            counts[name] = every[name]()
            print(name, flush=True)
    counted = {"settings": settings, "counts": counts}
    if given.check:
        found = differences(read(), counted)
        print("\n".join(found) or "The counts are those of tests/cost/counts.json.")
        return 1 if found else 0
    keep(counted)
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
