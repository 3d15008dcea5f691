"""Every action on everything of a stage, for every role: who reaches what is in `golden/matrix.txt`, and no more.

`python -m tests.isolation > tests/isolation/golden/matrix.txt` writes the table, for a change that is meant.
"""

from pathlib import Path
from typing import Any

import pytest

from infra.function_code import functions_of_revisions
from tests.isolation.actions import PREFIXES, actions
from tests.isolation.adopters import ADOPTERS, INVOKED, violations
from tests.isolation.cells import Target, targets
from tests.isolation.matrix import counted, matrix, reach
from tests.isolation.policies import listed
from tests.isolation.stage import Stage

GOLDEN = Path(__file__).parent / "golden" / "matrix.txt"
READS_KEYS = {"serve_mcp", "host_run", "run_without_ticket", "on_task_change", "sweep", *functions_of_revisions()}
"""Those that issue tickets or read them, and those that sign what clients carry."""


def test_the_matrix_is_this(stage: Stage) -> None:
    sections = {each.splitlines()[0]: each for each in GOLDEN.read_text().split("\n\n")}
    # Without a revision, its own function is not there.
    expected = {name: each.strip() for name, each in sections.items() if name in stage.principals}

    assert {name: each.strip() for name, each in matrix(stage).items()} == expected
    assert set(sections) - set(expected) == {"await_task"} - functions_of_revisions()


def test_no_cell_is_left_out(stage: Stage) -> None:
    cells, allowed = counted(stage)

    # Some 7,600 requests for each role; fewer would mean that botocore's models were not read.
    assert cells > 7_000 * len(stage.principals)
    assert allowed < 600


@pytest.mark.parametrize("function", sorted(ADOPTERS))
def test_adopters_code_may_ask_the_host_of_its_run_at_most(
    stage: Stage, everything: list[Target], function: str
) -> None:
    reached = list(reach(stage.principals[function], everything))

    assert list(violations(function, stage.principals[function], everything)) == []
    assert {target.name for target, _ in reached if target.kind == "function"} == INVOKED.get(function, set())
    assert {target.kind for target, _ in reached} - {"function"} == {"tools' bucket", "log group", "without a resource"}


def test_these_functions_may_read_the_signing_keys_and_no_others(stage: Stage, everything: list[Target]) -> None:
    keys = [target for target in everything if target.name == "items: signing keys"]
    readers = {name for name, statements in stage.principals.items() if any(reach(statements, keys))}

    assert readers == READS_KEYS


def test_what_a_role_may_do_is_an_action_that_is_asked_for(stage: Stage) -> None:
    named = {action for each in stage.principals.values() for statement in each for action in statement.actions}
    known = {action.lower() for prefix in PREFIXES for action in actions(prefix)}

    assert named - known == set()


def test_every_kind_of_resource_is_looked_at(stage: Stage) -> None:
    assert stage.unknown() == set()


def test_no_policy_is_left_out(stage: Stage) -> None:
    """None is attached in a way that is not read here, and no resource's own policy lets a role in."""
    of = stage.assembly.of
    runs = [*of("AWS::Lambda::Function").values(), *of("AWS::StepFunctions::StateMachine").values()]
    roles = {(each.get("Role") or each["RoleArn"])["Fn::GetAtt"][0] for each in runs}
    attached = [role["Ref"] for policy in of("AWS::IAM::Policy").values() for role in policy["Roles"]]

    assert set(attached) == roles
    assert [each for each in statements_with_principal(stage.assembly.resources) if lets_a_role_in(each)] == []
    permissions = of("AWS::Lambda::Permission").values()
    assert {str(each["Principal"]).endswith(".amazonaws.com") for each in permissions} == {True}


def statements_with_principal(value: Any) -> list[dict[str, Any]]:
    """Return the statements of resource policies, wherever in a template they are."""
    if isinstance(value, list):
        return [found for each in value for found in statements_with_principal(each)]
    if not isinstance(value, dict):
        return []
    if "Principal" in value and "Effect" in value:
        return [value]
    return [found for each in value.values() for found in statements_with_principal(each)]


def lets_a_role_in(statement: dict[str, Any]) -> bool:
    return statement["Effect"] == "Allow" and (
        not isinstance(statement["Principal"], dict) or set(statement["Principal"]) != {"Service"}
    )


def test_a_role_that_could_be_let_in_is_found() -> None:
    def policy(principal: object) -> dict[str, Any]:
        return {"Bucket": {"Properties": {"Statement": [{"Effect": "Allow", "Principal": principal}]}}}

    for principal in ("*", {"AWS": "*"}, {"AWS": "arn:aws:iam::1:role/a", "Service": "lambda.amazonaws.com"}):
        assert [lets_a_role_in(each) for each in statements_with_principal(policy(principal))] == [True]
    service = policy({"Service": "events.amazonaws.com"})
    assert [lets_a_role_in(each) for each in listed(statements_with_principal(service))] == [False]


def test_the_targets_are_all_there(stage: Stage) -> None:
    kinds = {target.kind for target in targets(stage)}

    data = {"items", "index live", "index as a whole", "table as a whole", "stream as a whole", "payloads"}
    assert kinds >= data | {"executions", "state machine", "function", "role", "tools' bucket", "log group"}
