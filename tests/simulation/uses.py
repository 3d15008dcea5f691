"""What the tools of a story use beside what they use in all stories, drawn apart from all else that its seed draws."""

from random import Random
from typing import Final

from tests.simulation import chances

SLEEPS: Final = "sleeps"
"""Tools that sleep more than once, and ask in between."""

TELLS: Final = "tells"
"""A tool that says how far it is each time before it asks."""

ESCALATES: Final = "escalates"
"""Tools that ask others, and later others too."""

JOINS: Final = "joins"
"""Tools whose calls join the task of an earlier one, and clients that call again."""

WORKS: Final = "works"
"""A tool whose tasks have no execution, called more often, and runs that renew their leases."""

HANDLES: Final = "handles"
"""Models that know of tasks by the built-in tools alone."""

STEALS: Final = "steals"
"""Clients that try what is another owner's."""

POISONS: Final = "poisons"
"""Records of the table's stream that cannot be read."""

AWAY: Final = "away"
"""Services of AWS that are away for long: no tool uses that, and it is drawn in the same way."""

OFTEN: Final = {
    SLEEPS: chances.OF_SLEEPS,
    TELLS: chances.OF_TELLING,
    ESCALATES: chances.OF_ESCALATES,
    JOINS: chances.OF_JOINS,
    WORKS: chances.OF_WORKS,
    HANDLES: chances.OF_HANDLES,
    STEALS: chances.OF_STEALS,
    POISONS: chances.OF_POISONS,
    AWAY: chances.OF_AWAY,
}
OF_ONE_RELEASE: Final = frozenset({ESCALATES, WORKS, HANDLES, STEALS, POISONS})
"""What a release before may not have."""


def draw_uses(seed: int, *, two_releases: bool) -> frozenset[str]:
    """Return what the tools of a seed's story use; each is drawn apart, so that another one changes no story."""
    able = [each for each in OFTEN if not (two_releases and each in OF_ONE_RELEASE)]
    return frozenset(each for each in able if Random(f"{each} {seed}").random() < OFTEN[each])
