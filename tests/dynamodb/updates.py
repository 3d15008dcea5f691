"""Updates: SET, REMOVE and ADD, each computed from the item as it was before."""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from tests.dynamodb.grammar import Attribute, Context, Item, Operand, Path, Tokens, look_up


class WrongType(Exception):
    """An update adds to what is no number."""


Action: TypeAlias = tuple[Path, Operand]
"""A path, and what it becomes; None takes it away."""


@lru_cache(maxsize=1_000)
def update(text: str) -> Callable[[Context], Item]:
    """Return the function from an item to the item as the update that a text writes leaves it."""
    tokens, actions, clauses = Tokens(text), list[Action](), set[str]()
    while tokens.peek():
        clause = tokens.take("SET", "REMOVE", "ADD")
        assert clause not in clauses, f"a second {clause} in {text!r}"
        clauses.add(clause)
        actions.append(CLAUSES[clause](tokens))
        while tokens.takes(","):
            actions.append(CLAUSES[clause](tokens))

    def updated(context: Context) -> Item:
        changes = [(path, becomes(context)) for path, becomes in actions]
        item = dict(context.item)
        for path, value in changes:
            first, *within = (context.names[name] if name.startswith("#") else name for name in path)
            _place(item, first, within, value)
        return item

    return updated


def _set(tokens: Tokens) -> Action:
    path = tokens.path()
    tokens.take("=")
    first = _operand(tokens)
    if tokens.peek() not in ("+", "-"):
        return path, first
    sign = -1 if tokens.take() == "-" else 1
    second = _operand(tokens)
    return path, lambda context: _number(_value(first(context)) + sign * _value(second(context)))


def _operand(tokens: Tokens) -> Operand:
    if tokens.peek(1) != "(":
        return tokens.operand()
    function = tokens.take("if_not_exists", "list_append")
    tokens.take("(")
    first = _operand(tokens)
    tokens.take(",")
    second = _operand(tokens)
    tokens.take(")")
    if function == "if_not_exists":
        return lambda context: found if (found := first(context)) is not None else second(context)
    return lambda context: {"L": [*_list(first(context)), *_list(second(context))]}


def _remove(tokens: Tokens) -> Action:
    return tokens.path(), lambda context: None


def _add(tokens: Tokens) -> Action:
    path, amount = tokens.path(), tokens.operand()

    def added(context: Context) -> Attribute:
        stored = look_up(context, path) or {"N": "0"}
        if "N" not in stored:
            raise WrongType
        return _number(_value(stored) + _value(amount(context)))

    return path, added


CLAUSES: dict[str, Callable[[Tokens], Action]] = {"SET": _set, "REMOVE": _remove, "ADD": _add}


def _place(item: dict[str, Any], first: str, within: list[str], value: Attribute | None) -> None:
    if within:
        # What is stored is never changed, so that whoever holds it sees it as it was.
        inner = dict(item[first]["M"])
        _place(inner, within[0], within[1:], value)
        item[first] = {"M": inner}
    elif value is None:
        item.pop(first, None)
    else:
        item[first] = value


def _value(attribute: Attribute | None) -> Decimal:
    assert attribute is not None, "the attribute is missing"
    return Decimal(attribute["N"])


def _list(attribute: Attribute | None) -> list[Attribute]:
    assert attribute is not None, "the attribute is missing"
    found: list[Attribute] = attribute["L"]
    return found


def _number(value: Decimal) -> Attribute:
    """Return a number as DynamoDB writes it: no zeros after the last digit."""
    return {"N": f"{value.normalize():f}"}
