"""Reads the fields of stored items, and of the JSON documents in them; pure, no I/O.

What cannot be read raises `UnreadableItem`, which names the field and never quotes it: items hold what clients sent.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self, TypeVar

from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.json_values import READ_ERRORS, Read, mapping, moment, text
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")
D = TypeVar("D")


class Fields:
    """The fields of a stored item, or of a JSON document in it; a plain class, since every cold start defines it."""

    def __init__(self, item: str, stored: Mapping[str, Any], within: str = "") -> None:
        """Take the item's sort key, the fields, and the name of the document before that of a field."""
        self.item = item
        self.stored = stored
        self.within = within

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Self:
        """Return the attributes of an item."""
        return cls(name_of(item), item)

    def required(self, name: str, read: Read[T]) -> T:
        """Return what `read` makes of a field; raises `UnreadableItem`, also where there is no such field."""
        if self.stored.get(name) is None:
            raise UnreadableItem(self.item, f"cannot be read: {self.within}{name} is missing")
        return self._read(name, read)

    def optional(self, name: str, read: Read[T], default: D) -> T | D:
        """Return what `read` makes of a field, or the default where there is none; raises `UnreadableItem`."""
        return default if self.stored.get(name) is None else self._read(name, read)

    def document(self, name: str) -> "Fields":
        """Return the fields of the JSON object in an attribute, none where there is no such attribute."""
        empty: Mapping[str, JSON] = {}
        return Fields(
            self.item, self.optional(name, lambda attribute: mapping(from_json(attribute)), empty), f"{name}."
        )

    def _read(self, name: str, read: Read[T]) -> T:
        try:
            return read(self.stored[name])
        except READ_ERRORS:
            # Without its cause, whose message may quote the item in a log.
            raise UnreadableItem(self.item, f"cannot be read: {self.within}{name} does not fit") from None


def name_of(item: Mapping[str, Any]) -> str:
    """Return how errors name an item: by its sort key, less an approval's audience, since that may be a subject."""
    key: str = item["SK"]["S"]
    kind = key.partition("#")[0]
    return f"{kind}#{key.rpartition('#')[2]}" if kind in ("inbox", "decided") else key


def string_attribute(attribute: Mapping[str, Any]) -> str:
    """Return the value of an attribute that holds a string."""
    return text(attribute["S"])


def integer_attribute(attribute: Mapping[str, Any]) -> int:
    """Return the value of an attribute that holds an integer."""
    return int(attribute["N"])


def moment_attribute(attribute: Mapping[str, Any]) -> datetime:
    """Return the value of an attribute that holds a time."""
    return moment(attribute["S"])


def from_json(attribute: Mapping[str, Any]) -> JSON:
    """Return the value of an attribute that holds JSON."""
    return json.loads(attribute["S"])
