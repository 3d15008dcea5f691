"""What each role reaches, as a table that a person can read."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from tests.isolation.cells import ITEMS, TAGS, Target, targets
from tests.isolation.policies import Statement, allowed
from tests.isolation.stage import Stage

Reached: TypeAlias = tuple[Target, str]
"""A target, and an action that is allowed on it."""


def reach(principal: str, statements: Sequence[Statement], targets: Iterable[Target]) -> Iterator[Reached]:
    """Yield every cell that statements allow a principal, which may have tags."""
    tags = TAGS.get(principal, {})
    for target in targets:
        for request in target.requests():
            if allowed(statements, replace(request, context={**request.context, **tags}) if tags else request):
                yield target, request.action


def matrix(stage: Stage) -> dict[str, str]:
    """Return the table: a section for each role, in which a line has targets with the same actions."""
    found = targets(stage)
    return {name: _section(name, list(reach(name, each, found)), found) for name, each in stage.principals.items()}


def counted(stage: Stage) -> tuple[int, int]:
    """Return how many cells there are, and how many of them are allowed."""
    found, roles = targets(stage), stage.principals
    cells = sum(1 for target in found for _ in target.requests()) * len(roles)
    return cells, sum(1 for name, each in roles.items() for _ in reach(name, each, found))


def _section(principal: str, reached: Sequence[Reached], all_targets: Sequence[Target]) -> str:
    actions: dict[Target, list[str]] = {}
    for target, action in reached:
        actions.setdefault(target, []).append(action.partition(":")[2])
    lines: dict[tuple[str, str], list[str]] = {}
    for target, found in actions.items():
        which = "its own" if target.which == principal else target.which
        lines.setdefault((target.kind, " ".join(found)), []).append(which)
    of_kind = Counter(target.kind for target in all_targets)
    return "".join(
        [
            f"{principal}\n",
            *(f"  {_title(kind, which, of_kind[kind])}\n    {found}\n" for (kind, found), which in lines.items()),
        ]
    )


def _title(kind: str, which: Sequence[str], there_are: int) -> str:
    if which == [""]:
        return kind
    return f"{kind}: {'all' if len(which) == there_are > len(ITEMS) else ', '.join(which)}"
