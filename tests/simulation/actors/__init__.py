"""Who acts in a story: an actor offers moves, and the story draws one of them at a time."""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final, TypeAlias

LAMBDA: Final = "lambda"
STREAM: Final = "stream"

Moves: TypeAlias = Mapping[str, Callable[[], object]]
"""What an actor can do now, by name."""

Weights: TypeAlias = Mapping[str, int]


class Actor:
    """One of those who act.

    `kind` is the kind of actor, and `weights` how often each of its moves is drawn beside the others: in the long run,
    each of them has to happen.
    """

    kind: ClassVar[str]
    weights: ClassVar[Weights]
    lasts: ClassVar[bool] = True
    """Whether a move may last for minutes."""
    needs: ClassVar[frozenset[str]] = frozenset({LAMBDA})
    """The services without which it can do nothing: hardly anybody can without functions."""
    breaks_off: ClassVar[frozenset[str]] = frozenset()
    """The moves that break off what somebody has begun."""

    @property
    def name(self) -> str:
        """Return how the trace calls the actor."""
        return self.kind

    def moves(self) -> Moves:
        """Return what can be done now."""
        raise NotImplementedError
