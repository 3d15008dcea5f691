"""The operators of a stage: nobody unless it says who, and nobody whose tenant anybody could name."""

import json
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, Stack

from infra import ServerSettings
from infra.function_code import functions_of_revisions
from mcp_tasks.security.operators import Operators
from mcp_tasks.settings import Settings
from tests.infra.assembly import UNBUNDLED, Assembly, flat, synthesise_once
from tests.infra.test_server import TOKENS, add, synthesised
from tests.infra.test_server import app as app

OPS = replace(TOKENS, issuer="https://ops.acme.dev/", tenant="ops")


def functions(made: Assembly) -> dict[str, dict[str, Any]]:
    """Return the variables of each function by its name in the stack."""
    found = made.of("AWS::Lambda::Function")
    return {name.partition("Functions")[2]: each["Environment"]["Variables"] for name, each in found.items()}


def deployed(app: App, operators: dict[str, Any], *tokens: Any) -> Assembly:
    stack = Stack(app, "Shop")
    add(stack, settings=ServerSettings(operators=operators), tokens=tokens or TOKENS)
    return synthesised(app, stack)


def policies(made: Assembly) -> str:
    """Return what all roles may do, as text."""
    return json.dumps(made.of("AWS::IAM::Policy"), sort_keys=True)


def test_by_default_no_function_knows_of_any(app: App) -> None:
    variables = functions(deployed(app, {}))

    assert len(variables) > 10
    assert not [name for name, each in variables.items() if "OPERATORS" in each]
    assert Settings(table_name="t", payload_bucket="b").operators == {}


def test_the_endpoint_what_keeps_the_tenants_and_the_page_are_told(app: App) -> None:
    made = deployed(app, {"tenant": "ops", "scope": "operate"}, TOKENS, OPS)

    variables = functions(made)
    names = ["servemcp", "ontaskchange", *(name.replace("_", "") for name in functions_of_revisions())]
    told = [json.loads(variables[name]["OPERATORS"]) for name in names]
    assert [Operators.of(each) for each in told] == [Operators(tenant="ops", scope="operate")] * len(names)
    assert '<meta name=\\"operator-scope\\" content=\\"operate\\">' in json.dumps(made.of("AWS::ApiGateway::Method"))


def test_no_role_may_do_more_for_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    folders = [str(tmp_path_factory.mktemp(name)) for name in ("with", "without")]
    stages = zip(folders, ({"tenant": "ops"}, {}), strict=True)

    with_them, without = (policies(deployed(App(outdir=folder), given, TOKENS, OPS)) for folder, given in stages)

    assert with_them == without
    assert "dynamodb:Query" in with_them
    assert "dynamodb:Scan" not in with_them


def test_the_endpoint_of_a_stage_on_aws_is_told_the_log_groups(tmp_path_factory: pytest.TempPathFactory) -> None:
    operators = json.dumps({"tenant": "acme", "subjects": ["grace"]})
    made = synthesise_once(tmp_path_factory, "operated", {**UNBUNDLED, "operators": operators})

    told = {name: each.get("SHOWN_LOG_GROUPS", "") for name, each in functions(made).items()}
    assert [name for name, each in told.items() if each] == ["servemcp"]
    assert all(f"{each}Logs" in flat(told["servemcp"]) for each in ("servemcp", "ontaskchange", "hostrun", "tools"))


def test_on_the_emulator_which_has_no_console_it_is_not(app: App) -> None:
    variables = functions(deployed(app, {"tenant": "acme", "subjects": ["grace"]}))

    assert "OPERATORS" in variables["servemcp"]
    assert not any("SHOWN_LOG_GROUPS" in each for each in variables.values())


def test_more_operators_than_the_variables_have_room_for_are_refused() -> None:
    with pytest.raises(ValueError, match="give them a tenant of their own"):
        ServerSettings(operators={"tenant": "ops", "subjects": [f"operator {number}" for number in range(30)]})


@pytest.mark.parametrize(
    ("operators", "tokens"),
    [
        ({"tenant": "ops"}, [TOKENS]),
        ({"tenant": "acme"}, [TOKENS, OPS]),
        ({"tenant": "guests:ops"}, [OPS, replace(TOKENS, tenant_prefix="guests:")]),
    ],
)
def test_a_tenant_that_tokens_name_is_refused(app: App, operators: dict[str, Any], tokens: list[Any]) -> None:
    with pytest.raises(SystemExit, match="which tokens may name as any other: give them an issuer of their own"):
        deployed(app, operators, *tokens)


def test_subjects_that_are_listed_may_be_of_any_tenant(app: App) -> None:
    variables = functions(deployed(app, {"tenant": "acme", "subjects": ["grace"]}))

    assert any("grace" in each.get("OPERATORS", "") for each in variables.values())
