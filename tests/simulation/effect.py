"""What the steps of tools do in the world, and the tools themselves, which stories share."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from tests.simulation.releases import Release


class Effect(NamedTuple):
    """What a step did in the world; its number is its place among all effects.

    `task` is empty in a run within a request, `began` the moment at which the run began, and `again` says that the call
    had done the step before.
    """

    task: str
    step: str
    began: int
    again: bool


class Now:
    """What a step does in the world of the story that goes on now."""

    __slots__ = ("does",)

    does: Callable[[Any, str], Callable[[], int]]

    def __call__(self, context: Any, step: str) -> Callable[[], int]:
        return self.does(context, step)


NOW: Final = Now()


@cache
def features_of(release: Release, *, direct: bool, others: bool, odd: bool, uses: frozenset[str]) -> Any:
    """Return what a release serves: it takes milliseconds to make, and is the same in many stories."""
    return release.functions.features(NOW, direct=direct, others=others, odd=odd, uses=sorted(uses))
