"""What a client of the crowd wants done, and what it has to be told in the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

ANSWER: Final = "so be it"
MOST_KILOBYTES: Final = 700
"""More than the 400 KB of an item, and less than the answer of a function may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One call of a tool: how its result begins, and whether it is one of an error.

    `alone` is how it may begin too where its client left it alone: nobody answered.
    """

    tool: str
    arguments: Mapping[str, Any]
    result: str
    is_error: bool = False
    alone: str | None = None

    @property
    def label(self) -> str:
        """What tells it apart."""
        return str(self.arguments["label"])


def _toil(tool: str) -> Callable[[Random, str], Errand]:
    def make(random: Random, label: str) -> Errand:
        given = {"label": label, "seconds": random.choice((0.1, 1, 6, 20))}
        return Errand(tool=tool, arguments=given, result=f"toiled {label}")

    return make


def _nap(random: Random, label: str) -> Errand:
    given = {"label": label, "seconds": random.choice((1, 5, 30))}
    return Errand(tool="nap", arguments=given, result=f"napped {label}")


def _ask(random: Random, label: str) -> Errand:
    nobody = f"asked {label}: nobody answered"
    return Errand(tool="ask", arguments={"label": label}, result=f"asked {label}: {ANSWER}", alone=nobody)


def _propose(random: Random, label: str) -> Errand:
    return Errand(tool="propose", arguments={"label": label}, result=f"proposed {label}: {ANSWER}")


def _bulky(random: Random, label: str) -> Errand:
    given = {"label": label, "kilobytes": random.choice((1, 50, MOST_KILOBYTES))}
    return Errand(tool="bulky", arguments=given, result=f"bulky {label} xxx")


def _fail(random: Random, label: str) -> Errand:
    return Errand(tool="fail", arguments={"label": label}, result=f"failed {label}", is_error=True)


ERRANDS: Final[Sequence[Callable[[Random, str], Errand]]] = (
    *(_toil("toil"), _toil("toil"), _toil("toil_direct")),
    *(_nap, _ask, _propose, _bulky, _fail),
)
