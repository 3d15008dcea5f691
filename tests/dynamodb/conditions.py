"""Conditions, of writes and of queries: OR, AND, NOT, comparisons, BETWEEN, and the functions that adapters use."""

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeAlias

from tests.dynamodb.grammar import Attribute, Context, Tokens, look_up

Condition: TypeAlias = Callable[[Context], bool]

COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@lru_cache(maxsize=1_000)
def condition(text: str) -> Condition:
    """Return the condition that a text writes."""
    tokens = Tokens(text)
    found = _any_of(tokens)
    assert not tokens.peek(), f"not understood: {tokens.peek()!r} in {text!r}"
    return found


def _any_of(tokens: Tokens) -> Condition:
    parts = [_all_of(tokens)]
    while tokens.takes("OR"):
        parts.append(_all_of(tokens))
    return parts[0] if len(parts) == 1 else lambda context: any(part(context) for part in parts)


def _all_of(tokens: Tokens) -> Condition:
    parts = [_one(tokens)]
    while tokens.takes("AND"):
        parts.append(_one(tokens))
    return parts[0] if len(parts) == 1 else lambda context: all(part(context) for part in parts)


def _one(tokens: Tokens) -> Condition:
    if tokens.takes("NOT"):
        denied = _one(tokens)
        return lambda context: not denied(context)
    if tokens.takes("("):
        found = _any_of(tokens)
        tokens.take(")")
        return found
    return _function(tokens) if tokens.peek(1) == "(" else _comparison(tokens)


def _function(tokens: Tokens) -> Condition:
    name = tokens.take("attribute_exists", "attribute_not_exists", "begins_with")
    tokens.take("(")
    path = tokens.path()
    if name == "begins_with":
        tokens.take(",")
        prefix = tokens.operand()
    tokens.take(")")
    match name:
        case "attribute_exists":
            return lambda context: look_up(context, path) is not None
        case "attribute_not_exists":
            return lambda context: look_up(context, path) is None
        case _:
            return lambda context: _begins_with(look_up(context, path), prefix(context))


def _comparison(tokens: Tokens) -> Condition:
    left = tokens.operand()
    if tokens.takes("BETWEEN"):
        low = tokens.operand()
        tokens.take("AND")
        high = tokens.operand()
        return lambda context: (
            _compare(operator.le, low(context), left(context)) and _compare(operator.le, left(context), high(context))
        )
    sign = tokens.take("=", "<>", *COMPARISONS)
    right = tokens.operand()
    if sign in COMPARISONS:
        return lambda context: _compare(COMPARISONS[sign], left(context), right(context))
    same = sign == "="
    return lambda context: (comparable(left(context)) == comparable(right(context))) is same


def _begins_with(found: Attribute | None, prefix: Attribute | None) -> bool:
    return found is not None and prefix is not None and "S" in found and found["S"].startswith(prefix["S"])


def _compare(how: Callable[[Any, Any], bool], left: Attribute | None, right: Attribute | None) -> bool:
    """Compare two values of one type; what is absent, or of another type, is neither less nor more."""
    (one, a), (other, b) = comparable(left), comparable(right)
    return one == other and one in ("S", "N") and how(a, b)


def comparable(attribute: Attribute | None) -> tuple[str, Any]:
    """Return the type of a value, and what it is compared by."""
    if attribute is None:
        return "", None
    ((kind, value),) = attribute.items()
    return kind, Decimal(value) if kind == "N" else value
