"""The matrix notices whatever statement of a role is wider than it is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import pytest

from tests.isolation.adopters import HOLDERS, violations
from tests.isolation.cells import Target
from tests.isolation.matrix import reach
from tests.isolation.policies import Statement
from tests.isolation.stage import Stage


def widened(statements: Sequence[Statement]) -> Iterator[list[Statement]]:
    """Yield the statements with one of them wider: in its actions, its resources or its conditions, or not denied."""
    for place, statement in enumerate(statements):
        for wider in wider_than(statement):
            yield [*statements[:place], *wider, *statements[place + 1 :]]


def wider_than(statement: Statement) -> Iterator[list[Statement]]:
    """Yield what may stand for a statement, and says more than it."""
    if statement.effect == "Deny":
        yield []
        return
    prefixes = {action.partition(":")[0] for action in statement.actions}
    services = {":".join(resource.split(":")[:3]) for resource in statement.resources if resource != "*"}
    choices = [
        replace(statement, actions=("*",), but_actions=False),
        replace(statement, actions=tuple(f"{prefix}:*" for prefix in sorted(prefixes)), but_actions=False),
        replace(statement, resources=("*",), but_resources=False),
        replace(statement, conditions=()),
    ]
    if services:
        everywhere = tuple(f"{service}:*" for service in sorted(services))
        choices.append(replace(statement, resources=everywhere, but_resources=False))
    yield from ([choice] for choice in choices if choice != statement)


@pytest.mark.parametrize("function", sorted(HOLDERS))
def test_a_wider_statement_of_adopters_code_is_noticed(stage: Stage, everything: list[Target], function: str) -> None:
    own = stage.principals[function]
    tried = list(widened(own))

    assert len(tried) >= 2 * len(own)
    for statements in tried:
        assert any(violations(function, statements, everything)), statements


@pytest.mark.parametrize("function", sorted(HOLDERS))
def test_any_other_statement_given_to_adopters_code_is_noticed(
    stage: Stage, everything: list[Target], function: str
) -> None:
    own = stage.principals[function]
    reached = set(reach(function, own, everything))
    others = set(chain(*stage.principals.values()))
    wider = [each for each in others if not set(reach(function, [each], everything)) <= reached]

    assert len(wider) > 20
    for statement in wider:
        assert any(violations(function, [*own, statement], everything)), statement


@pytest.mark.slow
def test_a_wider_statement_of_any_role_changes_the_matrix(stage: Stage, everything: list[Target]) -> None:
    for name, own in stage.principals.items():
        reached = set(reach(name, own, everything))
        for statements in widened(own):
            assert any(each not in reached for each in reach(name, statements, everything)), (name, statements)


def test_what_is_wider_is_known(everything: list[Target]) -> None:
    """A condition that is dropped, and a denial that is left out, are wider than what they were."""
    usual = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}
    own_keys = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "acme#*"}}
    narrow = [Statement.of({**usual, "Condition": own_keys})]
    denied = [Statement.of(usual), Statement.of({**usual, "Effect": "Deny"})]

    for statements in (narrow, denied):
        reached = set(reach("", statements, everything))
        assert all(set(reach("", wider, everything)) > reached for wider in widened(statements))
    items = {target.which for target, _ in reach("", narrow, everything) if target.kind == "items"}
    assert items == {"own", "other subject's"}
