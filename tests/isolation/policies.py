"""IAM's evaluation of identity policies, as far as ours use their language: whatever is not known here raises.

Sources: the IAM User Guide, "Policy evaluation logic", "Condition operators", "Multivalued context keys", "Variables
and tags"; the DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from tests.isolation.conditions import Condition, UnknownPolicy, check_variables, is_missing, resolved
from tests.isolation.wildcards import matches

ELEMENTS: Final = frozenset({"Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition"})
INSIDE_A_SEGMENT: Final = re.compile(r"\*[^:]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One action on one resource, `*` where the action is on none; a context key that is not sent is absent."""

    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of an identity policy; `but` says that a list names what the statement is not about."""

    effect: str
    actions: tuple[str, ...]
    but_actions: bool
    resources: tuple[str, ...]
    but_resources: bool
    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Read a statement; raises `UnknownPolicy`."""
        if (unknown := set(document) - ELEMENTS) or document.get("Effect") not in ("Allow", "Deny"):
            raise UnknownPolicy(f"{sorted(unknown)}, effect {document.get('Effect')}")
        (actions, but_actions), (resources, but_resources) = _list(document, "Action"), _list(document, "Resource")
        # Where a match takes a permission away, to match more than AWS does would hide that AWS allows.
        if (document["Effect"] == "Deny") != but_resources and any(map(INSIDE_A_SEGMENT.search, resources)):
            raise UnknownPolicy(f"a * inside a segment of {resources}")
        check_variables(resources)
        return cls(
            effect=document["Effect"],
            actions=tuple(action.lower() for action in actions),
            but_actions=but_actions,
            resources=resources,
            but_resources=but_resources,
            conditions=tuple(Condition.all_of(document.get("Condition", {}))),
        )

    def applies(self, request: Request) -> bool:
        """Return whether the statement is about the request; one with a variable that has no value never is."""
        context, action = request.context, request.action.lower()
        if any(is_missing(text, context) for text in self._texts):
            return False
        on = any(matches(resolved(pattern, context), request.resource) for pattern in self.resources)
        does = any(matches(pattern, action) for pattern in self.actions)
        return (
            does != self.but_actions
            and on != self.but_resources
            and all(condition.holds(context) for condition in self.conditions)
        )

    @property
    def _texts(self) -> Iterable[str]:
        return (*self.resources, *(value for condition in self.conditions for value in condition.values))


def statements_of(document: Mapping[str, Any]) -> list[Statement]:
    """Return the statements of a policy document; raises `UnknownPolicy`."""
    # In the language before it, variables are text like any other.
    if document["Version"] != "2012-10-17":
        raise UnknownPolicy(f"version {document['Version']}")
    return [Statement.of(each) for each in listed(document["Statement"])]


def allowed(statements: Sequence[Statement], request: Request) -> bool:
    """Return whether a statement allows the request and none denies it."""
    effects = {statement.effect for statement in statements if statement.applies(request)}
    return effects == {"Allow"}


def listed(value: Any) -> list[Any]:
    """Return what a policy may write alone or as a list."""
    return value if isinstance(value, list) else [value]


def _list(document: Mapping[str, Any], name: str) -> tuple[tuple[str, ...], bool]:
    """Return the texts of an element or of its opposite, and whether it was the opposite."""
    found = [each for each in (name, f"Not{name}") if each in document]
    if len(found) != 1:
        raise UnknownPolicy(f"{name} and its opposite, or neither")
    return tuple(listed(document[found[0]])), found[0] != name
