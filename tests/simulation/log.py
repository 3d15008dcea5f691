"""Lists that grow, of which each reader takes what is new."""

from typing import TypeVar

T = TypeVar("T")


class Log(list[T]):
    """A list that only grows."""

    def __init__(self) -> None:
        super().__init__()
        self._read: dict[int, int] = {}

    def new(self, reader: object) -> list[T]:
        """Return what was added since this reader, which lives as long as the list, asked for it last."""
        since = self._read.get(id(reader), 0)
        self._read[id(reader)] = len(self)
        return self[since:]

    def new_places(self, reader: object) -> list[tuple[int, T]]:
        """Return the same, each with its place in the list."""
        new = self.new(reader)
        return [*enumerate(new, len(self) - len(new))]
