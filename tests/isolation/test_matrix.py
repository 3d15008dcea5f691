"""Every action on everything of a stage, for every role: who reaches what is in `golden/matrix.txt`, and no more.

`python -m tests.isolation > tests/isolation/golden/matrix.txt` writes the table, for a change that is meant.
"""

from pathlib import Path
from typing import Any

import pytest

from infra.function_code import functions_of_revisions
from infra.tenant_access import OWN_ITEMS
from tests.checkout import ROOT
from tests.isolation.actions import PREFIXES, actions
from tests.isolation.adopters import ADOPTERS, GRANTED, INVOKED, violations
from tests.isolation.cells import Target, targets
from tests.isolation.matrix import counted, matrix, reach
from tests.isolation.policies import Statement, listed
from tests.isolation.stage import ROLE, SESSION, Stage

GOLDEN = Path(__file__).parent / "golden" / "matrix.txt"
TENANT = {"tenant": "acme"}
ISSUES = {"serve_mcp", "host_run", "run_without_ticket", "on_task_change", "sweep", *functions_of_revisions()}
"""Those that issue tickets or read them, and those that sign what clients carry."""

READS_KEYS = ISSUES | {"authorize"}
"""These, and the one that verifies links."""


def test_the_matrix_is_this(stage: Stage) -> None:
    # Without a revision, its own function is not there, nor is its log.
    own = "await_task" in functions_of_revisions()
    golden = GOLDEN.read_text() if own else GOLDEN.read_text().replace(", await_task", "")
    sections = {each.splitlines()[0]: each for each in golden.split("\n\n")}
    expected = {name: each.strip() for name, each in sections.items() if name in stage.principals}

    assert {name: each.strip() for name, each in matrix(stage).items()} == expected
    assert set(sections) - set(expected) == {"await_task"} - functions_of_revisions()


def test_no_cell_is_left_out(stage: Stage) -> None:
    cells, allowed = counted(stage)

    # Some 11,500 requests for each role; fewer would mean that botocore's models were not read.
    assert cells > 9_000 * len(stage.principals)
    assert allowed < 660
    page = (ROOT / "docs" / "security.md").read_text()
    # Without a revision, its own function makes no requests.
    assert (f"Of {cells:,} requests {allowed} are allowed" in page) is ("await_task" in stage.principals)


@pytest.mark.parametrize("function", sorted(ADOPTERS))
def test_adopters_code_may_ask_the_host_of_its_run_at_most(
    stage: Stage, everything: list[Target], function: str
) -> None:
    reached = list(reach(function, stage.principals[function], everything))

    assert list(violations(function, stage.principals[function], everything)) == []
    assert {target.name for target, _ in reached if target.kind == "function"} == INVOKED.get(function, set())
    granted = {"tools' bucket"} if function in GRANTED else set()
    assert {target.kind for target, _ in reached} - {"function"} == {"log group", "without a resource", *granted}


def test_a_tenants_session_reaches_what_is_the_tenants_own_and_nothing_else(
    stage: Stage, everything: list[Target]
) -> None:
    reached = {(target.name, action) for target, action in reach(SESSION, stage.principals[SESSION], everything)}

    assert reached == {("tools' bucket: own tenant's", action) for action in ("s3:GetObject", "s3:PutObject")}
    assert list(violations(SESSION, stage.principals[SESSION], everything)) == []
    # What the host of runs may do besides, its sessions may not: without a tag they are of no tenant.
    assert list(reach("host_run", stage.principals[SESSION], everything)) == []


def test_the_host_of_runs_alone_begins_the_sessions_of_tenants_and_only_with_a_tenant(stage: Stage) -> None:
    (role,) = stage.sessions.values()
    trust = stage.trust(role)

    assert stage.takers(trust, TENANT) == {"host_run"}
    assert stage.takers(trust, {}) == set()
    assert stage.takers(trust, {"tenant": ""}) == set()
    assert stage.takers(trust, {"subject": "ada"}) == set()
    # All other roles are those of services.
    others = [each for name in stage.all_of(ROLE) if name != role for each in stage.trust(name)]
    assert {kind for each in others for kind in each["Principal"]} == {"Service"}


@pytest.mark.parametrize(
    ("wider", "tags"),
    [
        ({"Principal": "*"}, TENANT),
        ({"Principal": {"AWS": "*"}}, TENANT),
        ({"Principal": {"AWS": "arn:aws:iam::123456789012:root"}}, TENANT),
        ({"Principal": {"Service": "lambda.amazonaws.com"}}, TENANT),
        ({"Principal": {"AWS": ["run_tool", "host_run"]}}, TENANT),
        ({"Condition": {}}, {}),
        ({"Condition": {"StringLike": {"aws:RequestTag/subject": "?*"}}}, {"subject": "ada"}),
        ({"Condition": {"StringLikeIfExists": {"aws:RequestTag/tenant": "?*"}}}, {}),
    ],
)
def test_a_wider_trust_is_noticed(stage: Stage, wider: dict[str, Any], tags: dict[str, str]) -> None:
    (trust,) = stage.trust(next(iter(stage.sessions.values())))
    if isinstance(arns := wider.get("Principal", {}), dict) and isinstance(names := arns.get("AWS"), list):
        wider = {"Principal": {"AWS": [stage.all_of(ROLE)[stage.role_of(name)] for name in names]}}

    expected = {"host_run"} if tags == TENANT else set()
    assert stage.takers([{**trust, **wider}], tags) != expected


def test_own_items_are_those_of_the_tenants_partitions(everything: list[Target]) -> None:
    usual = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": OWN_ITEMS}
    reached = {target.which for target, _ in reach(SESSION, [Statement.of(usual)], everything) if target.keys}
    others = {target.kind for target, _ in reach(SESSION, [Statement.of(usual)], everything) if not target.keys}

    assert reached == {"own", "own tenant's", "other subject's"}
    assert others == set()


def test_these_functions_may_read_the_signing_keys_and_no_others(stage: Stage, everything: list[Target]) -> None:
    keys = [target for target in everything if target.name == "items: signing keys"]
    readers = {name for name, statements in stage.principals.items() if any(reach(name, statements, keys))}

    assert readers == READS_KEYS


def test_the_sweep_alone_may_read_an_execution_whose_input_has_a_start_ticket(
    stage: Stage, everything: list[Target]
) -> None:
    executions = [target for target in everything if target.kind == "executions"]
    reads = {"states:DescribeExecution", "states:GetExecutionHistory"}
    asked = {request.action for target in executions for request in target.requests()}
    readers = {
        (name, action)
        for name, statements in stage.principals.items()
        for _, action in reach(name, statements, executions)
        if action in reads
    }

    assert reads <= asked
    assert readers == {("sweep", "states:DescribeExecution")}


def test_no_function_writes_a_plan_and_only_the_servers_own_read_one(stage: Stage, everything: list[Target]) -> None:
    plans = [target for target in everything if target.name.endswith("tenant's plan")]
    found = {name: {action for _, action in reach(name, each, plans)} for name, each in stage.principals.items()}

    assert len(plans) == 2
    readers = ISSUES - {"run_without_ticket"} | {"record_outcome"}
    assert {name for name, actions in found.items() if actions} == readers
    assert set().union(*found.values()) == {"dynamodb:GetItem", "dynamodb:Query"}


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

    assert set(attached) == roles | set(stage.sessions.values())
    # The one that does is that of the sessions of tenants, which has a test of its own.
    (sessions,) = stage.sessions.values()
    others = {name: each for name, each in stage.assembly.resources.items() if name != sessions}
    assert [each for each in statements_with_principal(others) if lets_a_role_in(each)] == []
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
    assert kinds >= data | {"executions", "state machine", "function", "role", "rule", "tools' bucket", "log group"}
