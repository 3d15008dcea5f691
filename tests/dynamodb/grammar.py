"""What all expressions are made of: tokens, paths and operands; each becomes a function, once for each text."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

Attribute: TypeAlias = Mapping[str, Any]
"""A value as DynamoDB writes it: `{"N": "7"}`."""

Item: TypeAlias = Mapping[str, Attribute]

TOKEN = re.compile(r"\s*(<>|<=|>=|[=<>(),.+-]|[:#]?\w+)")
WORDS = ("AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE")
FUNCTIONS = ("attribute_exists", "attribute_not_exists", "begins_with", "if_not_exists", "list_append")


class Context(NamedTuple):
    """What an expression is about: an item, empty where there is none, and what `#names` and `:values` stand for."""

    item: Item
    names: Mapping[str, str]
    values: Mapping[str, Attribute]


Operand: TypeAlias = Callable[[Context], Attribute | None]
Path: TypeAlias = tuple[str, ...]


class Tokens:
    """The tokens of an expression, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all: list[str] = []
        place = 0
        while text[place:].strip():
            found = TOKEN.match(text, place)
            assert found, f"not understood: {text[place:]!r} of {text!r}"
            self._all.append(found[1])
            place = found.end()

    def peek(self, ahead: int = 0) -> str:
        """Return the next token, or the one after it, empty at the end."""
        return self._all[ahead] if len(self._all) > ahead else ""

    def take(self, *expected: str) -> str:
        """Return the next token, which is one of those that are expected, if any are given."""
        found = self._all.pop(0) if self._all else ""
        wrong = expected and found not in expected
        assert not wrong, f"{found!r} for one of {expected} in {self._text!r}"
        assert found, f"{self._text!r} ends too early"
        return found

    def takes(self, *wanted: str) -> bool:
        """Take the next token if it is one of those wanted."""
        if self.peek() not in wanted:
            return False
        self._all.pop(0)
        return True

    def path(self) -> Path:
        """Take the path of an attribute, or of what is within it."""
        names = [self.take()]
        while self.takes("."):
            names.append(self.take())
        assert not [name for name in names if name in WORDS or not name.strip("#")[0].isalpha()], self._text
        return tuple(names)

    def operand(self) -> Operand:
        """Take a value, or the path of one."""
        if self.peek().startswith(":"):
            name = self.take()
            return lambda context: context.values[name]
        assert self.peek() not in FUNCTIONS, self._text
        path = self.path()
        return lambda context: look_up(context, path)


def look_up(context: Context, path: Path) -> Attribute | None:
    """Return what an item has at a path, or None."""
    first, *more = (context.names[name] if name.startswith("#") else name for name in path)
    found = context.item.get(first)
    for name in more:
        found = None if found is None else found.get("M", {}).get(name)
    return found
