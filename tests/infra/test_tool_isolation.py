"""`tool_isolation`: nothing of it is deployed unless it is set, and then whose an invocation is, is always said."""

import json
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack

from infra import ServerSettings
from tests.infra.assembly import UNBUNDLED, Assembly, flat
from tests.infra.test_server import add, synthesised

FUNCTION = "AWS::Lambda::Function"


def made(folder: Path, **settings: Any) -> Assembly:
    app = App(outdir=str(folder), context=dict(UNBUNDLED))
    stack = Stack(app, "Shop")
    add(stack, settings=ServerSettings(**settings))
    return synthesised(app, stack)


def named(function: dict[str, Any]) -> str:
    return str(function["Handler"]).split(".")[1]


def invoked_to_run(assembly: Assembly) -> set[str]:
    """Return what the states named Run invoke."""
    machines = assembly.of("AWS::StepFunctions::StateMachine").values()
    text = "".join(flat(machine["DefinitionString"]) for machine in machines)
    return {part.partition('"')[0] for part in text.split('"FunctionName":"')[1:]}


def test_tenants_share_environments_unless_the_stage_says_otherwise(tmp_path: Path) -> None:
    usual = made(tmp_path / "usual")
    said = made(tmp_path / "said", tool_isolation="shared")

    assert "TenancyConfig" not in json.dumps(usual.resources)
    assert "TOOL_ISOLATION" not in json.dumps(usual.resources)
    assert said.resources == usual.resources


def test_what_runs_tools_has_environments_of_one_tenant(tmp_path: Path) -> None:
    isolated = made(tmp_path, tool_isolation="tenant").of(FUNCTION).values()

    found = {named(each): each["TenancyConfig"] for each in isolated if "TenancyConfig" in each}
    assert found == {name: {"TenantIsolationMode": "PER_TENANT"} for name in ("run_tool", "run_inline")}


def test_whoever_invokes_such_a_function_is_told_to_say_for_whom(tmp_path: Path) -> None:
    assembly = made(tmp_path, tool_isolation="tenant")
    variables = {named(each): each["Environment"]["Variables"] for each in assembly.of(FUNCTION).values()}
    invokers = {name for name, each in variables.items() if {"INLINE_FUNCTION", "TOOLS_FUNCTION"} & set(each)}

    assert invokers >= {"serve_mcp", "record_outcome", "run_without_ticket"}
    assert {variables[name].get("TOOL_ISOLATION") for name in invokers} == {"tenant"}


def test_state_machines_run_tools_through_a_function_that_says_for_whom(tmp_path: Path) -> None:
    def runs(assembly: Assembly) -> set[str]:
        return {name for name in invoked_to_run(assembly) if "tools" in name}

    assert runs(made(tmp_path / "usual"))
    assert not runs(made(tmp_path / "isolated", tool_isolation="tenant"))


def test_another_value_is_refused() -> None:
    with pytest.raises(ValueError, match="tool_isolation is shared or tenant, not 'on'"):
        ServerSettings(tool_isolation="on")
