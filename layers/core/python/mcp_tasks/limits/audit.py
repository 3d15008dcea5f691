"""Of the audit records: how long a process's chain of them is, and when its head is anchored."""

from datetime import timedelta
from typing import Final

CHAIN_LASTS: Final = timedelta(minutes=10)
"""Then a process begins another chain, so that an anchor need not know the heads of all that ever were."""

HEADS_REMEMBERED: Final = timedelta(hours=2)
"""As far back anchors are read for the heads of chains that may go on: longer than any lasts, once an hour."""

READ_AGAIN: Final = timedelta(minutes=5)
"""As much of the log is read once more by the next anchor, since CloudWatch takes records in late."""

FILLED_WITHIN: Final = timedelta(minutes=3)
"""A record that came this long after one that is missing says that it will not come: less than is read again."""

READ_AT_ONCE: Final = timedelta(minutes=15)
"""As much of the log is read for one anchor, where there was none for longer."""

AWAKE_FOR: Final = CHAIN_LASTS + READ_AGAIN
"""So long after it found a record anchoring runs each minute: the record's chain may go on, and its log comes late."""

WOKEN_LATE: Final = timedelta(minutes=5)
"""Rounds go on for this time at least once a chain began: one of them finds its record, and prolongs the time."""

LINKS_IN_ANCHOR: Final = 800
"""A link takes up to 300 bytes of an anchor, and an item has 400 KB."""

LINKS_OF_CHAIN: Final = 100
"""An anchor takes so many of a chain; only somebody who forges records without a MAC makes one with more."""

FORGED_NAMED: Final = 200
"""As many of the records that an anchor rejects it names; of those beyond it has the number alone."""

LATE: Final = timedelta(minutes=5)
"""A record that was logged this long after its chain's end is a copy that somebody logged again."""

KEY_RETRIED_AFTER: Final = timedelta(seconds=10)
"""A process that could not read the key of its records writes them without a MAC for so long."""

REVOKED_FOR: Final = timedelta(minutes=10)
"""So long records of a revoked key are accepted: processes notice within a minute, and logs come late."""

KEPT_LONGER: Final = timedelta(days=366)
"""Anchors are kept for longer than the log, so that an export can be proven that was made before that ended."""

SIGNER_KEPT: Final = timedelta(days=36_500)
"""The key that signs anchors is made once."""

MAX_IN_CHAIN: Final = 10**9
"""No process writes so many records while a chain lasts."""

CHAINS_REPORTED: Final = 10
"""The log of an anchor names so many chains without MACs; the anchor has all."""
