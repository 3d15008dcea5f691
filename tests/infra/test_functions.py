"""What holds for every Lambda, and what sets one apart."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from infra.function_code import RENAMED, functions_of_revisions
from infra.server_settings import ServerSettings
from tests.infra.assembly import ROOT, Assembly, flat

NAMES = (
    *functions_of_revisions(),
    "serve_mcp",
    "authorize",
    "run_tool",
    "run_inline",
    "host_run",
    "run_without_ticket",
    "suspend_task",
    "record_outcome",
    "report_progress",
    "on_task_change",
    "sweep",
    "anchor_audit",
)
WEB = (*functions_of_revisions(), "serve_mcp")
"""Those that answer clients."""

IDS = {folder: construct_id for construct_id, folder in RENAMED.items()}


def logical_id(name: str) -> str:
    """Return a function's logical id."""
    return f"Functions{IDS.get(name, name).replace('_', '')}"


def function(assembly: Assembly, name: str) -> dict[str, Any]:
    """Return a function's properties."""
    return assembly.of("AWS::Lambda::Function")[logical_id(name)]


def test_there_is_one_function_for_each_folder(cloud: Assembly) -> None:
    folders = {path.parent.name for path in (ROOT / "functions").glob("*/handler.py")}

    assert folders == set(NAMES)
    assert len(cloud.of("AWS::Lambda::Function")) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_runs_python_on_arm_with_both_layers(cloud: Assembly, name: str) -> None:
    properties = function(cloud, name)

    assert properties["Runtime"] == "python3.13"
    assert properties["Architectures"] == ["arm64"]
    assert properties["Layers"] == [{"Ref": "FunctionsCoreLayer"}, {"Ref": "FunctionsToolsLayer"}]


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_traced_and_logs_json_for_two_weeks(cloud: Assembly, name: str) -> None:
    properties = function(cloud, name)
    logs = cloud.of("AWS::Logs::LogGroup")[properties["LoggingConfig"]["LogGroup"]["Ref"]]

    assert properties["TracingConfig"] == {"Mode": "Active"}
    assert properties["LoggingConfig"]["LogFormat"] == "JSON"
    assert properties["LoggingConfig"]["ApplicationLogLevel"] == "INFO"
    assert logs["RetentionInDays"] == 14


@pytest.mark.parametrize("name", NAMES)
def test_a_handler_has_one_name_in_the_tree_on_the_emulator_and_on_aws(
    cloud: Assembly, local: Assembly, name: str
) -> None:
    handlers = {function(stage, name)["Handler"] for stage in (cloud, local)}
    spec = find_spec(f"functions.{name}.handler")

    assert handlers == {f"functions.{name}.handler.handler"}
    assert spec is not None
    assert spec.origin is not None
    assert "\ndef handler(" in Path(spec.origin).read_text()


@pytest.mark.parametrize("name", WEB)
def test_who_answers_the_gateway_gives_up_when_it_does(cloud: Assembly, name: str) -> None:
    assert function(cloud, name)["Timeout"] == 29


def test_those_who_run_tools_wait_or_answer_have_their_own_concurrency(prod: Assembly) -> None:
    found = {name: function(prod, name).get("ReservedConcurrentExecutions") for name in NAMES}
    reserved = {name: concurrency for name, concurrency in found.items() if concurrency is not None}

    waiting = dict.fromkeys(functions_of_revisions(), 100)
    assert reserved == {**waiting, "run_tool": 500, "serve_mcp": 200, "authorize": 50}
    # Of the 1,000 that most accounts have, AWS keeps 100 unreserved.
    assert sum(reserved.values()) <= 900


def test_no_tenant_holds_more_than_half_of_the_connections_that_can_be_held(prod: Assembly, cloud: Assembly) -> None:
    variables = [function(stage, "serve_mcp")["Environment"]["Variables"]["PLANS"] for stage in (prod, cloud)]

    assert variables == ['{"default":{"held_waits":50}}', "{}"]
    settings = ServerSettings(await_concurrency=9, plans={"default": {"held_waits": 9}, "gold": {}})
    assert json.loads(settings.written_plans) == {"default": {"held_waits": 9}, "gold": {}}


def test_the_authorizer_knows_the_issuer_and_the_table_of_the_keys_that_sign_links(cloud: Assembly) -> None:
    variables = function(cloud, "authorize")["Environment"]["Variables"]

    assert variables == {
        "LOG_LEVEL": "INFO",
        "SERVICE_DATA": "/opt/python/mcp_tasks/service_data",
        "RELEASE": variables["RELEASE"],
        "TABLE_NAME": variables["TABLE_NAME"],
        "ISSUER": "https://issuer.example.com/",
        "AUDIENCE": "https://mcp.example.com/mcp",
        "JWKS_URL": "https://issuer.example.com/.well-known/jwks.json",
        "ALGORITHMS": "RS256,ES256",
        "TENANT_CLAIM": "tenant",
        "SUBJECT_CLAIM": "sub",
        "SCOPE_CLAIM": "scope",
        "ROLES_CLAIM": "roles",
        "MAX_TOKEN_AGE_SECONDS": "86400",
    }


@pytest.mark.parametrize("name", WEB)
def test_who_answers_clients_knows_how_the_server_presents_itself(local: Assembly, name: str) -> None:
    variables = function(local, name)["Environment"]["Variables"]

    assert variables["INSTRUCTIONS"] == "Long tools are tasks."
    assert json.loads(variables["SERVER_ABOUT"]) == {
        "icons": [{"src": "https://a.example/icon.png", "sizes": ["48x48"]}]
    }


def test_only_functions_that_run_tools_know_the_tools_bucket(cloud: Assembly) -> None:
    names = {name for name in NAMES if "DATA_BUCKET" in function(cloud, name)["Environment"]["Variables"]}

    assert names == {"run_tool", "run_inline"}


def test_what_a_function_falls_back_on_and_who_woke_a_wait_are_metrics(cloud: Assembly) -> None:
    counted: dict[str, set[str]] = {}
    for metric in cloud.of("AWS::Logs::MetricFilter").values():
        (made,) = metric["MetricTransformations"]
        field = made["MetricName"]
        if field not in ("fallback", "woken_by"):
            continue
        (dimension,) = made["Dimensions"]
        counted.setdefault(field, set()).add(flat(metric["LogGroupName"]))

        assert metric["FilterPattern"] == f'{{ $.{field} = "*" }}'
        assert dimension == {"Key": field, "Value": f"$.{field}"}

    assert counted == {
        "fallback": {f"<{logical_id(name)}Logs>" for name in NAMES},
        "woken_by": {f"<{logical_id(name)}Logs>" for name in WEB},
    }
