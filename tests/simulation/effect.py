"""What a step of a tool did in the world."""

from typing import NamedTuple


class Effect(NamedTuple):
    """What a step did in the world; its number is its place among all effects.

    `task` is empty in a run within a request, `began` the moment at which the run began, and `again` says that the call
    had done the step before.
    """

    task: str
    step: str
    began: int
    again: bool
