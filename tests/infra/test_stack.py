"""The stack as a whole: what it needs to be synthesised, its outputs, and how long its files are."""

import ast
import re
from pathlib import Path

import pytest

from tests.infra.assembly import ROOT, Assembly

BUILDS = re.compile(r"^class \w+\((Construct|Stack|Alias|LambdaInvoke|sfn\.StateMachineFragment)\)", re.MULTILINE)
UNITS = sorted(path for path in (ROOT / "infra").glob("*.py") if BUILDS.search(path.read_text()))


def test_the_cloud_stack_names_no_account_and_no_region(cloud: Assembly) -> None:
    artifact = cloud.read("manifest.json")["artifacts"][cloud.name]

    assert artifact["environment"] == "aws://unknown-account/unknown-region"


def test_the_outputs_say_where_everything_is(cloud: Assembly) -> None:
    outputs = cloud.outputs

    named = {"Url", "ApiId", "TableName", "PayloadBucket", "DataBucket", "DeadLetterQueue", "Dashboard"}
    assert set(outputs) == named
    assert outputs["Url"].endswith(".execute-api.<AWS::Region>.<AWS::URLSuffix>/dev/mcp")


def test_clients_of_a_stage_are_given_its_public_url(local: Assembly) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:4566/<EndpointApi\w+>/mcp", local.outputs["Url"])


def test_a_setting_given_on_the_command_line_is_read_as_json_unless_it_is_text(local: Assembly) -> None:
    functions = local.of("AWS::Lambda::Function")
    variables = functions["Functionsservemcp"]["Environment"]["Variables"]

    assert functions["Functionsruninline"]["Environment"]["Variables"]["TOOLS_MODULE"] == "others"
    assert variables["MAX_ACTIVE_TASKS"] == "7"
    assert variables["PLANS"] == '{"gold":{"active_tasks":70}}'
    assert variables["ALLOWED_ORIGINS"] == "https://a.example,https://b.example"


def test_the_local_stack_has_the_emulators_account_and_no_asset_but_the_bootstrap(local: Assembly) -> None:
    artifact = local.read("manifest.json")["artifacts"][local.name]
    (asset,) = local.folder.glob("asset.*")

    assert artifact["environment"] == "aws://000000000000/us-east-1"
    assert [path.name for path in asset.iterdir()] == ["bootstrap"]
    assert (asset / "bootstrap").stat().st_mode & 0o111


def test_the_local_functions_run_under_this_machines_python(local: Assembly) -> None:
    functions = local.of("AWS::Lambda::Function").values()

    assert {function["Runtime"] for function in functions} == {"provided.al2023"}
    assert not any(function.get("Layers") for function in functions)


def test_the_local_stack_is_the_cloud_stack_but_for_its_layers_alarms_and_dashboard(
    local: Assembly, cloud: Assembly
) -> None:
    kinds = {name: resource["Type"] for name, resource in cloud.resources.items()}

    here = {resource["Type"] for resource in local.resources.values()}
    assert set(kinds.values()) - here == {
        "AWS::Lambda::LayerVersion",
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
    }


def test_data_of_prod_survives_its_stack(prod: Assembly) -> None:
    policies = {
        resource["Type"]: resource["DeletionPolicy"]
        for resource in prod.resources.values()
        if resource["Type"] in {"AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket"}
    }

    assert policies == {"AWS::DynamoDB::GlobalTable": "Retain", "AWS::S3::Bucket": "Retain"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_fits_on_a_screen(unit: Path) -> None:
    assert len(unit.read_text().splitlines()) < 60


def test_the_app_is_an_entry_and_nothing_more() -> None:
    assert len((ROOT / "app.py").read_text().splitlines()) <= 20


def test_infra_imports_nothing_of_ours_but_itself_the_limits_and_the_page() -> None:
    imported: set[str] = set()
    for path in (ROOT / "infra").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            imported |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            imported |= {node.module} if isinstance(node, ast.ImportFrom) and node.module and not node.level else set()

    ours = {name for name in imported if name.split(".")[0] in {"mcp_tasks", "tools", "functions", "local"}}
    allowed = ("mcp_tasks.limits.", "mcp_tasks.page.")
    assert {name for name in ours if not f"{name}.".startswith(allowed)} == set()
