"""Prints how soon the sweep finds lost work, for several numbers of live tasks: `python -m tests.sweep`."""

import logging
from datetime import timedelta

from tests.sweep.hours import HOUR, Hours

logging.disable()
print("  live tasks                longest, in minutes      calls a second of")
print("                            gap   found   sweep   Describe-  ListExecutions")
for live in (1_000, 12_000, 24_000, 50_000):
    for how, over, lost in (("created at once", timedelta(seconds=1), 0.01), ("over an hour", HOUR, 0.05)):
        print(f"  {live:>6,} {how:<16}  {Hours(live, over=over, lost=lost).pass_by()}")
