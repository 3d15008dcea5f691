"""Of the audit records: how long a process's chain of them is, and when its head is anchored."""

from datetime import timedelta
from typing import Final

CHAIN_LASTS: Final = timedelta(hours=1)
"""Then a process begins another chain, so that an anchor need not know the heads of all that ever were."""
