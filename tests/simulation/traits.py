"""What a story is like beside its plan and its faults: a seed draws each trait, of which most stories have some."""

from datetime import timedelta
from random import Random
from typing import Final

from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from tests.simulation import chances

KEPT: Final = ("memory", "table", "releases")
"""Where a story keeps its tasks: in memory, in the table, or in the table, where two releases work on them."""

MEMORY, TABLE, RELEASES = KEPT


class Traits:
    """The traits of one story.

    They are drawn `beside` what stories drew first, and the last ones `apart` from that, so that a seed draws all else
    as it did before there were any.  A release before knows nothing of some.
    """

    def __init__(self, kept: str, beside: Random, apart: Random) -> None:
        def draw(likelihood: float) -> bool:
            return beside.random() < likelihood

        self.kept = kept
        self.others = draw(chances.OF_OTHERS) and kept != RELEASES
        """Whether some tasks ask others than their caller."""
        self.outages = draw(chances.OF_OUTAGES)
        """Whether the executor may be away for a time."""
        self.late_reads = kept != MEMORY and draw(chances.OF_LATE_READS)
        """Whether reads of the table that need not be consistent may be late."""
        self.deep = draw(chances.OF_DEEP) and kept == TABLE
        """Whether faults strike at each call of DynamoDB, rather than at the calls of the store."""
        self.erases = draw(chances.OF_ERASED) and kept == TABLE
        """Whether one of the tenants is erased."""
        # A release before takes that for a mistake of its own.
        self.rejects_ended = draw(chances.OF_REJECTED) and kept != RELEASES
        """Whether Step Functions rejects the name of an execution that has ended."""
        self.odd = draw(chances.OF_ODD) and kept != RELEASES
        """Whether some tools catch what they should not, and some have nothing left to do as a task."""
        self.even = draw(chances.OF_EVEN)
        """Whether all faults occur, and a call that is rare in the story meets as many as one that is frequent."""
        self.padding = "-" * MAX_INLINE_CHARACTERS if draw(chances.OF_LARGE) and kept != MEMORY else ""
        """What makes arguments and responses large, in some stories."""
        self.near = draw(chances.OF_NEAR)
        """Whether others prefer to act on the task that a suspended call is about."""
        self.repeats = draw(chances.OF_REPEATS)
        """Whether what comes once more may come many times."""
        self.one_name = draw(chances.OF_ONE_NAME) and kept != RELEASES
        """Whether all runs have the same name, which is theirs to give."""
        self.brinks = draw(chances.OF_BRINKS)
        """Whether time likes to pass to where something ends."""
        self.skew = chances.SKEW if draw(chances.OF_SKEWED) else timedelta()
        """By how much the clock of a process may be behind."""
        self.stubborn = draw(chances.OF_STUBBORN)
        """Whether clients of 2025-11-25 answer badly in the end, again and again."""
        self.fickle = apart.random() < chances.OF_FICKLE
        """Whether clients of 2026-07-28 change their answers, and answer what they are not asked."""
        self.sees = apart.random() < chances.OF_SEEN
        """Whether clients of 2025-11-25 look now and then whether they are sent what they are to be asked."""
