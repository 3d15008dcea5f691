"""The search: breadth first, so that the path to a state is a shortest one."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.model_checking.moves import successors
from tests.model_checking.stage import Stage

Check = Callable[[Stage, str, Stage], str | None]
"""Says what a move breaks, if anything."""


@dataclass(slots=True, kw_only=True)
class Found:
    """All states, by their keys, with how each was reached."""

    states: dict[str, Stage] = field(default_factory=dict)
    reached: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    moves: int = 0

    def path(self, key: str) -> list[str]:
        """Return the moves that lead to a state, one of the shortest ways."""
        names = []
        while (step := self.reached[key]) is not None:
            key, name = step
            names.append(name)
        return names[::-1]


class Violated(AssertionError):
    """A law does not hold."""


def search(first: Stage, check: Check) -> Found:
    """Return all states that can come of the first; raises `Violated` with the path where a move breaks a law."""
    found = Found()
    found.states[first.key], found.reached[first.key] = first, None
    waiting = deque([first.key])
    while waiting:
        key = waiting.popleft()
        for name, after in successors(found.states[key]):
            found.moves += 1
            broken = check(found.states[key], name, after)
            if broken:
                raise Violated(f"{broken}, by {[*found.path(key), name]}")
            if after.key not in found.states:
                found.states[after.key], found.reached[after.key] = after, (key, name)
                waiting.append(after.key)
    return found
