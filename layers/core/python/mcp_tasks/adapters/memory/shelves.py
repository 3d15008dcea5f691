"""Values that go at their time, in the memory of one process that may run for weeks."""

import heapq
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

from mcp_tasks.ports.clock import Clock

NEVER: Final = datetime.max.replace(tzinfo=UTC)
FEW: Final = 100
"""Names that are taken off a shelf one by one: each moves those that come after it."""

V = TypeVar("V")


class Shelves(Mapping[tuple[Any, Any], V], Generic[V]):
    """Values by shelf and name, in the order of the names on each shelf; used by one thread at a time.

    A value whose time is over is found no more, and the next `put` forgets it.  All methods take as long with a
    hundred thousand values as with a hundred.  As a mapping, it has what is not forgotten yet, too.
    """

    def __init__(self, clock: Clock) -> None:
        """Begin without values; they go by this clock."""
        self._clock = clock
        self._values: dict[tuple[Any, Any], tuple[V, datetime]] = {}
        self._names: dict[Any, list[Any]] = {}
        self._ends: list[tuple[datetime, Any, Any]] = []
        """A heap, in which a value that was replaced or popped stays for a while."""

    def __repr__(self) -> str:
        """Show all values: tests compare what is stored before and after a request."""
        return repr(self._values)

    def put(self, shelf: Any, name: Any, value: V, until: datetime = NEVER) -> None:
        """Keep a value until a time, in place of the one with its name; forget those whose time is over."""
        self.forget()
        if (shelf, name) not in self._values:
            names = self._names.setdefault(shelf, [])
            names.insert(bisect_left(names, name), name)
        self._values[shelf, name] = value, until
        if until is not NEVER:
            heapq.heappush(self._ends, (until, shelf, name))
        if len(self._ends) > 2 * len(self._values) + FEW:
            self._ends = [(end, *key) for key, (_, end) in self._values.items() if end is not NEVER]
            heapq.heapify(self._ends)

    def find(self, shelf: Any, name: Any) -> V | None:
        """Return the value, None where there is none or its time is over."""
        value, until = self._values.get((shelf, name), (None, NEVER))
        return value if until > self._clock.now() else None

    def pop(self, shelf: Any, name: Any) -> V | None:
        """Take a value away and return it, None where there is none."""
        value, _ = self._values.pop((shelf, name), (None, NEVER))
        if value is not None:
            self._take_off(shelf, {name})
        return value

    def after(self, shelf: Any, name: Any) -> Iterator[tuple[Any, V]]:
        """Yield the names and values of a shelf that come after a name, or all, in order."""
        names = self._names.get(shelf, [])
        begin = 0 if name is None else bisect_right(names, name)
        yield from self._found(shelf, names, range(begin, len(names)))

    def before(self, shelf: Any, name: Any) -> Iterator[tuple[Any, V]]:
        """Yield the names and values of a shelf that come before a name, or all, the last first."""
        names = self._names.get(shelf, [])
        end = len(names) if name is None else bisect_left(names, name)
        yield from self._found(shelf, names, range(end - 1, -1, -1))

    def _found(self, shelf: Any, names: list[Any], places: range) -> Iterator[tuple[Any, V]]:
        for place in places:
            value = self.find(shelf, names[place])
            if value is not None:
                yield names[place], value

    def shelves(self) -> list[Any]:
        """Return the shelves that have values."""
        return list(self._names)

    def forget(self) -> None:
        """Forget the values whose time is over."""
        now, gone = self._clock.now(), defaultdict[Any, set[Any]](set)
        while self._ends and self._ends[0][0] <= now:
            until, shelf, name = heapq.heappop(self._ends)
            value, end = self._values.get((shelf, name), (None, NEVER))
            if end == until and value is not None:
                del self._values[shelf, name]
                gone[shelf].add(name)
                self._forgotten(shelf, value)
        for shelf, names in gone.items():
            self._take_off(shelf, names)

    def _forgotten(self, shelf: Any, value: V) -> None:
        """Take note that a value is forgotten; for subclasses."""

    def _take_off(self, shelf: Any, gone: set[Any]) -> None:
        names = self._names[shelf]
        if len(gone) > FEW:
            names = self._names[shelf] = [name for name in names if name not in gone]
        else:
            for name in gone:
                del names[bisect_left(names, name)]
        if not names:
            del self._names[shelf]

    def __getitem__(self, key: tuple[Any, Any]) -> V:
        """Return a value that is not forgotten yet."""
        return self._values[key][0]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over the shelf and the name of each value that is not forgotten yet."""
        return iter(list(self._values))

    def __len__(self) -> int:
        """Return how many values are not forgotten yet."""
        return len(self._values)
