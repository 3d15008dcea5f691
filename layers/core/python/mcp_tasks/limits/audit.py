"""Of the audit records: how long a process's chain of them is, and when its head is anchored."""

from datetime import timedelta
from typing import Final

CHAIN_LASTS: Final = timedelta(hours=1)
"""Then a process begins another chain, so that an anchor need not know the heads of all that ever were."""

HEADS_REMEMBERED: Final = timedelta(hours=2)
"""As far back anchors are read for the heads of chains that may go on: longer than a chain lasts."""

READ_AGAIN: Final = timedelta(minutes=5)
"""As much of the log is read once more by the next anchor, since CloudWatch takes records in late."""

FILLED_WITHIN: Final = timedelta(minutes=3)
"""A record that came this long after one that is missing says that it will not come: less than is read again."""

READ_AT_ONCE: Final = timedelta(minutes=15)
"""As much of the log is read for one anchor, where there was none for longer."""

CHAINS_IN_ANCHOR: Final = 1_000
"""A chain takes some 250 bytes of an anchor, and an item has 400 KB."""

KEPT_LONGER: Final = timedelta(days=366)
"""Anchors are kept for longer than the log, so that an export can be proven that was made before that ended."""

SIGNER_KEPT: Final = timedelta(days=36_500)
"""The key that signs anchors is made once."""
