"""The wheel of `make package` in somebody else's app, which has packages `infra` and `functions` of its own."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from mcp_tasks.version import VERSION
from mcp_tasks.wire.revisions import PACKAGES
from tests.docs.blocks import blocks
from tests.infra.assembly import NODE_MODULES, ROOT, UNBUNDLED, Assembly
from tests.package.conftest import Environment

PACKAGE = ROOT / "layers/core/pyproject.toml"
OF_LAMBDA = {"snapshot_restore_py"}
"""What Lambda's runtime has, and everything does without where it is missing."""

BY_REQUIREMENT = {
    "PyJWT": ["jwt", "cryptography"],
    "pydantic": ["pydantic", "pydantic_core", "typing_extensions"],
    "jsonata-python": ["jsonata"],
    "jsonschema": ["jsonschema", "jsonschema_specifications"],
    "aws-cdk-lib": ["aws_cdk", "jsii"],
}
"""What is imported of a requirement, where that is not its name; some of it is what the requirement requires."""


def synthesised(environment: Environment, app: str, out: Path, *, bundled: bool = False) -> Assembly:
    """Return what an app of the project is synthesised to."""
    context = {} if bundled else UNBUNDLED
    done = environment.run(app, CDK_OUTDIR=str(out), CDK_CONTEXT_JSON=json.dumps(context))
    assert done.returncode == 0, done.stdout + done.stderr
    return Assembly(folder=out, name="Shop")


def test_an_environment_has_the_package_of_the_wheel_and_none_of_this_checkout(environment: Environment) -> None:
    done = environment.run("-c", "import mcp_tasks, sys; print(mcp_tasks.__file__, *sys.path)")

    assert done.stdout.startswith(str(environment.python.parents[1]))
    assert not [path for path in done.stdout.split() if path.startswith(str(ROOT)) and "site-packages" not in path]


@pytest.mark.slow
def test_two_servers_stand_beside_packages_of_the_same_names(environment: Environment, tmp_path: Path) -> None:
    made = synthesised(environment, "app.py", tmp_path)
    machines = made.of("AWS::StepFunctions::StateMachine").values()

    assert len(made.of("AWS::Lambda::Function")) == 2 * len(list((ROOT / "functions").glob("*/handler.py")))
    assert sorted(re.sub(r"-\w{8}-", "-", machine["StateMachineName"]) for machine in machines) == [
        "Shop-Agents-after_a_minute",
        "Shop-Agents-run_tool",
        "Shop-Office-run_tool",
    ]
    reports = made.read("validation-report.json")["pluginReports"]
    assert [report["violations"] for report in reports if report["pluginName"] == "AwsSolutions"] == [[]]


def test_the_app_of_the_page_has_a_server_in_twelve_lines_and_another_on_what_exists(
    environment: Environment, tmp_path: Path
) -> None:
    made = synthesised(environment, "page.py", tmp_path)
    first, _ = blocks("docs/embedding.md", "python")
    (mapping,) = made.of("AWS::ApiGateway::BasePathMapping").values()

    assert len([line for line in first.splitlines() if line and "import" not in line]) <= 12
    assert "Orders" in str(made.of("AWS::IAM::Policy")["AgentsFunctionstoolsRoleDefaultPolicy"])
    assert mapping["DomainName"] == "tasks.example.com"
    assert "eu-central-1_abc" in str(made.of("AWS::Lambda::Function")["BillingFunctionsauthorize"]["Environment"])
    assert len(made.of("AWS::DynamoDB::GlobalTable")) == 1


def test_a_tool_is_tested_with_the_plugin(environment: Environment) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-o", "pythonpath=agents/python"]
    done = environment.run("-m", "pytest", *options, "tests/check_tools.py")

    assert f"{len(PACKAGES)} passed" in done.stdout, done.stdout + done.stderr


def type_check(environment: Environment, paths: str, *checked: str) -> None:
    """Check the types of modules of the project."""
    done = environment.run("-m", "mypy", "--strict", "--explicit-package-bases", *checked, MYPYPATH=paths)

    assert done.returncode == 0, done.stdout + done.stderr


def test_tools_and_their_tests_are_type_checked(environment: Environment) -> None:
    tools = ["agents/python/tools", "billing/python/bills", "tests/check_tools.py"]
    type_check(environment, "agents/python:billing/python", *tools)


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["empty"], indirect=True)
def test_an_app_and_its_state_machines_are_type_checked(environment: Environment) -> None:
    """Slow, because of the CDK's types."""
    type_check(environment, ".", "agents/machines", "app.py")


def test_every_package_that_is_imported_is_required(wheel: Path) -> None:
    project = tomllib.loads(PACKAGE.read_text())["project"]
    extras = project["optional-dependencies"]
    required = [re.match(r"[\w-]+", each) for each in [*project["dependencies"], *extras["infra"], *extras["testing"]]]
    names = [match[0] for match in required if match]
    known = {module for name in names for module in BY_REQUIREMENT.get(name, [name.replace("-", "_")])}

    with ZipFile(wheel) as archive:
        sources = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")]
    imported = {
        name.partition(".")[0]
        for source in sources
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    }
    assert imported - sys.stdlib_module_names - {"mcp_tasks"} - OF_LAMBDA == known


def test_the_wheel_is_one_package_without_what_an_app_writes_itself(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    about = f"mcp_task_server-{VERSION}.dist-info"
    files = [file.relative_to(ROOT).as_posix() for room in ("infra", "functions") for file in (ROOT / room).rglob("*")]
    own = re.compile(r"infra/(machines/.*|(settings|stack|stage_stack|tool_access)\.py)|.*__pycache__.*")

    assert {name.partition("/")[0] for name in names} == {"mcp_tasks", about}
    assert {"mcp_tasks/py.typed", "mcp_tasks/requirements.txt"} <= set(names)
    assert [ROOT / Path(name).name for name in names if "extra_metadata" in name] == list(ROOT.glob("LICENSE"))
    assert {name for name in names if name.startswith(("mcp_tasks/infra/", "mcp_tasks/functions/"))} == {
        f"mcp_tasks/{file}" for file in files if (ROOT / file).is_file() and not own.fullmatch(file)
    }


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["empty"], indirect=True)
def test_the_layers_of_an_installed_package_are_those_of_a_clone(environment: Environment, tmp_path: Path) -> None:
    (environment.project / "node_modules").symlink_to(NODE_MODULES)
    made = synthesised(environment, "page.py", tmp_path, bundled=True)
    (core,) = [asset for asset in made.folder.glob("asset.*") if (asset / "python/mcp_tasks").is_dir()]
    (functions,) = [asset for asset in made.folder.glob("asset.*") if (asset / "functions/sweep/handler.py").exists()]
    deployed = {path.name for path in (core / "python/mcp_tasks").iterdir()}

    assert "wire" in deployed
    assert not deployed & {"infra", "functions", "testing", "requirements.txt"}
    assert (core / "python/pydantic").is_dir()
    assert list((functions / "functions/sweep/__pycache__").glob("handler.cpython-313.pyc"))
