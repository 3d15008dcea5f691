"""Bugs that the simulator has to find: each replaces one function of the server, or of its store."""

from typing import Final

from tests.simulation.planted.bugs import BUGS
from tests.simulation.planted.plant import Plant
from tests.simulation.planted.refactored import REFACTORED

__all__ = ["PLANTED", "Plant"]

PLANTED: Final = (*BUGS, *REFACTORED)
