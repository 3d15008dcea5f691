"""What is said of a story in which an invariant does not hold, and how it is cut short."""

from typing import NamedTuple

from tests.simulation.world import World


class Less(NamedTuple):
    """What a story is cut to: so many moves, and all faults `without` these."""

    moves: int | None = None
    without: frozenset[str] = frozenset()

    @property
    def options(self) -> str:
        """Return the options of `python -m tests.simulation` that cut a story so."""
        moves = "" if self.moves is None else f" --moves {self.moves}"
        return moves + "".join(f" --without '{fault}'" for fault in sorted(self.without))


WHOLE = Less()


class Violation(AssertionError):
    """An invariant does not hold; the story had `made` so many moves until then, and these `faults`."""

    def __init__(self, seed: int, kept: str, less: Less, world: World, *, made: int) -> None:
        replay = f"python -m tests.simulation --seed {seed} --kept {kept}{less.options}"
        said = "; ".join(world.violations)
        super().__init__(f"seed {seed}: {said}\n\n{world.trace.tail()}\n\nreplay: {replay}")
        self.seed, self.kept, self.less = seed, kept, less
        self.violations, self.trace = world.violations, world.trace
        self.made, self.faults = made, world.faults
