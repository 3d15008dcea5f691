"""The write units that DynamoDB takes for a write, computed from what is stored before and after it.

moto does not count them.  By DynamoDB's documentation, a write takes a unit for each KB that is begun of the item
before or after it, whichever is larger, and in a transaction two; also where its condition fails.  An index takes a
unit for an entry that is added or deleted, and so two for one that moves.  Whether a transaction doubles those too is
said nowhere: here it does not.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from botocore.exceptions import ClientError

KB = 1_024
INDEX = ("liveShard", "checkAt")
"""The keys of the only index, which projects nothing else."""

Item = Mapping[str, Any]


def item_bytes(item: Item) -> int:
    """Return the size of an item as DynamoDB counts it."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def units(before: Item | None, after: Item | None) -> int:
    """Return what writing an item takes in the table, outside of a transaction."""
    return max(1, *(ceil(item_bytes(item) / KB) for item in (before or {}, after or {})))


def index_units(before: Item | None, after: Item | None) -> int:
    """Return what writing an item takes in the index."""
    entries = [_entry(item or {}) for item in (before, after)]
    return 0 if entries[0] == entries[1] else sum(entry is not None for entry in entries)


@dataclass(slots=True)
class Meter:
    """Counts the units that clients take, by the kind of item too, and the objects that they put and get."""

    write_units: int = 0
    puts: int = 0
    gets: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def around(self, client: Any) -> "Metered":
        """Return a client of DynamoDB or S3 whose calls are counted."""
        return Metered(client, self)


class Metered:
    """A client behind a meter."""

    def __init__(self, client: Any, meter: Meter) -> None:
        self._client, self._meter = client, meter

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        call = getattr(self._client, operation)
        match operation:
            case "transact_write_items" | "put_item" | "update_item" | "delete_item":
                return lambda **request: self._write(call, request)
            case "put_object":
                self._meter.puts += 1
            case "get_object":
                self._meter.gets += 1
        return call  # type: ignore[no-any-return]  # botocore is not typed

    def _write(self, call: Callable[..., Any], request: dict[str, Any]) -> Any:
        addressed, each = list(_addressed(request)), 2 if "TransactItems" in request else 1
        before = [self._stored(*address) for address in addressed]
        try:
            return call(**request)
        except ClientError:
            addressed = []
            raise
        finally:
            after = [self._stored(*address) for address in addressed] or before
            for old, new in zip(before, after, strict=True):
                self._count(old, new, each)

    def _count(self, before: Item | None, after: Item | None, each: int) -> None:
        taken = each * units(before, after) + index_units(before, after)
        item = after or before
        kind = "nothing" if item is None else item["SK"]["S"].partition("#")[0]
        self._meter.kinds[kind] += taken
        self._meter.write_units += taken

    def _stored(self, table: str, key: Item) -> Item | None:
        found: Item | None = self._client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")
        return found


def _addressed(request: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    writes = (
        [write for each in request["TransactItems"] for write in each.values()] if "TransactItems" in request else []
    )
    for write in writes or [request]:
        key = write.get("Key") or {name: write["Item"][name] for name in ("PK", "SK")}
        yield write["TableName"], key


def _entry(item: Item) -> Item | None:
    return {name: item[name] for name in INDEX} if all(name in item for name in INDEX) else None


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            digits = content.replace(".", "").lstrip("-0").rstrip("0")
            return ceil(len(digits) / 2) + 1 + bool(content[0] == "-")
        case "B":
            return len(content)
        case "BOOL" | "NULL":
            return 1
        case _:
            raise ValueError(f"no item here has a value of the kind {kind}")
