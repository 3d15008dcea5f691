"""Bugs that the simulator has to find: each replaces one function of the server, or of its store."""

from typing import Final

from tests.simulation.planted.answers import ANSWERS
from tests.simulation.planted.bugs import BUGS
from tests.simulation.planted.callers import CALLERS
from tests.simulation.planted.features import FEATURES
from tests.simulation.planted.inbox import INBOX
from tests.simulation.planted.lacking import LACKING
from tests.simulation.planted.limits import LIMITS
from tests.simulation.planted.plant import ENOUGH, Plant
from tests.simulation.planted.promised import PROMISED
from tests.simulation.planted.refactored import REFACTORED
from tests.simulation.planted.seldom import SELDOM
from tests.simulation.planted.shown import SHOWN

__all__ = ["ENOUGH", "PLANTED", "Plant"]

PLANTED: Final = (
    *BUGS,
    *REFACTORED,
    *SELDOM,
    *PROMISED,
    *SHOWN,
    *LIMITS,
    *FEATURES,
    *ANSWERS,
    *LACKING,
    *INBOX,
    *CALLERS,
)
