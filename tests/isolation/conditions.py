"""The conditions of IAM's policies that ours may use: those on strings, and on the keys of DynamoDB's items."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tests.isolation.wildcards import matches

Context: TypeAlias = Mapping[str, tuple[str, ...]]

SETS: Final = "(?P<set>ForAllValues|ForAnyValue)"
OPERATOR: Final = re.compile(rf"({SETS}:)?(?P<name>String(Not)?(Equals|Like))(?P<if>IfExists)?")
NULL: Final = "Null"
MULTIVALUED: Final = "dynamodb:LeadingKeys"
TAG: Final = re.compile(r"aws:PrincipalTag/[\w-]+")
REQUESTED_TAG: Final = re.compile(r"aws:RequestTag/[\w-]+")
VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")


class UnknownPolicy(Exception):
    """A policy says something that is not evaluated here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One operator on one context key, with the values of the policy; `of` is the set operator, if there is one."""

    of: str | None
    operator: str
    if_exists: bool
    key: str
    values: tuple[str, ...]

    @classmethod
    def all_of(cls, block: Mapping[str, Mapping[str, Any]]) -> Iterator["Condition"]:
        """Yield the conditions of a block, which must all hold; raises `UnknownPolicy`."""
        for operator, keys in block.items():
            for key, value in keys.items():
                found, known = OPERATOR.fullmatch(operator), key == MULTIVALUED or is_tag(key)
                if operator == NULL and known and value in ("true", "false"):
                    yield cls(of=None, operator=NULL, if_exists=False, key=key, values=(value,))
                    continue
                if found is None or not known:
                    raise UnknownPolicy(f"{operator} of {key}")
                # "Multivalued context keys require a condition set operator", and single-valued ones must have none.
                if (key == MULTIVALUED) != (found["set"] is not None):
                    raise UnknownPolicy(f"{operator} of {key}, which has one value or many")
                values = tuple(value) if isinstance(value, list) else (value,)
                check_variables(values)
                yield cls(of=found["set"], operator=found["name"], if_exists=bool(found["if"]), key=key, values=values)

    def holds(self, context: Context) -> bool:
        """Return whether the condition holds.

        "The `ForAllValues` set operator also returns true if there are no context keys in the request, or if the
        context key value resolves to a null dataset, such as an empty string." -- IAM User Guide
        """
        sent = [value for value in context.get(self.key, ()) if value]
        if self.operator == NULL:
            return (not sent) == (self.values == ("true",))
        if not sent and self.of is None:
            return self.if_exists or "Not" in self.operator
        if not sent and self.if_exists:
            return True
        fits = [self._fits(value, context) for value in sent]
        return any(fits) if self.of == "ForAnyValue" else all(fits)

    def _fits(self, value: str, context: Context) -> bool:
        same: Callable[[str, str], bool] = matches if self.operator.endswith("Like") else str.__eq__
        found = any(same(resolved(each, context), value) for each in self.values)
        return found != ("Not" in self.operator)


def is_tag(key: str) -> bool:
    """Return whether a context key is a tag, of the principal or of the session that it asks for."""
    return bool(TAG.fullmatch(key) or REQUESTED_TAG.fullmatch(key))


def is_missing(text: str, context: Context) -> bool:
    """Return whether a text of a policy has a variable without a value in the request."""
    return any(len(context.get(name, ())) != 1 for name in VARIABLE.findall(text))


def resolved(text: str, context: Context) -> str:
    """Return a text of a policy with the values of its variables; none may be missing."""

    def value(variable: re.Match[str]) -> str:
        (found,) = context[variable[1]]
        if set(found) & set("*?$"):
            raise UnknownPolicy(f"{variable[0]} is {found!r}, which might be taken for a pattern")
        return found

    return VARIABLE.sub(value, text) if "${" in text else text


def check_variables(texts: Iterable[str]) -> None:
    """Raise `UnknownPolicy` where a text has a variable other than a tag of the principal."""
    for name in (name for text in texts for name in VARIABLE.findall(text)):
        if not TAG.fullmatch(name):
            raise UnknownPolicy(f"${{{name}}}")
