"""The items of the one table, its index of live tasks, and the records of its stream."""

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from tests.dynamodb.grammar import Item

Key = tuple[str, str]
INDEXED = ("liveShard", "checkAt")
PROJECTED = ("PK", "SK", *INDEXED)


class Record(NamedTuple):
    """What a write changed of one item: no image where there was none, or is none."""

    key: Key
    before: Item | None
    after: Item | None


class Items:
    """All items by their keys; `written` hears of each write, with all that it changed.

    An item is never changed, only replaced: images and answers are the items themselves.
    """

    def __init__(self) -> None:
        self.written: Callable[[Sequence[Record]], object] = lambda records: None
        self._items: dict[Key, Item] = {}
        self._sorted: defaultdict[str, list[str]] = defaultdict(list)
        self._indexed: dict[Key, Item] = {}

    def get(self, key: Key) -> Item | None:
        """Return an item."""
        return self._items.get(key)

    def replace(self, changes: Sequence[tuple[Key, Item | None]]) -> None:
        """Write items, or delete them, all at once; one that stays the same makes no record."""
        records = []
        for key, after in changes:
            before = self._items.get(key)
            if before != after:
                self._put(key, before, after)
                records.append(Record(key, before, after))
        if records:
            self.written(records)

    def _put(self, key: Key, before: Item | None, after: Item | None) -> None:
        names = self._sorted[key[0]]
        if after is None:
            del self._items[key]
            names.remove(key[1])
        else:
            self._items[key] = after
            if before is None:
                insort(names, key[1])
        if after is not None and all(name in after for name in INDEXED):
            self._indexed[key] = {name: after[name] for name in PROJECTED}
        else:
            self._indexed.pop(key, None)

    def partition(self, owner: str) -> list[Item]:
        """Return the items of a partition, in the order of their sort keys."""
        return [self._items[owner, name] for name in self._sorted[owner]]

    def index(self) -> Iterable[Item]:
        """Return what the index has of items, in the order of its sort key and then of their own keys."""
        return sorted(self._indexed.values(), key=index_place)

    def all(self) -> list[Item]:
        """Return every item."""
        return list(self._items.values())


def key_of(item: Any) -> Key:
    """Return the key of an item, or of the parameters that name it."""
    return item["PK"]["S"], item["SK"]["S"]


def index_place(item: Any) -> tuple[Decimal, Key]:
    """Return what the index orders an item by."""
    return Decimal(item["checkAt"]["N"]), key_of(item)


def in_stream(record: Record) -> Mapping[str, Any]:
    """Return a record as the table's stream has it."""
    images = {"OldImage": record.before, "NewImage": record.after}
    image = record.after or record.before or {}
    keys = {name: image[name] for name in ("PK", "SK")}
    return {"Keys": keys, **{name: each for name, each in images.items() if each is not None}}
