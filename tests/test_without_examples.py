"""An adopter deletes all that is theirs to delete, and adds a tool of their own: the template works as before."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import as_repository, link_environments

NO_TOOL = {"layers/tools/python/tools/__init__.py": '"""No tool yet."""\n\nTOOLS: list[object] = []\n'}
ONE_TOOL = {
    "layers/tools/python/tools/__init__.py": '"""My tools."""\n\nfrom tools.brew import brew\n\nTOOLS = [brew]\n',
    "layers/tools/python/tools/brew.py": '''"""Makes tea."""

from mcp_tasks import tool


@tool(title="Brew", machine="steep", annotations={"readOnlyHint": True, "openWorldHint": False})
def brew(leaves: str) -> str:
    """Make tea, which takes three minutes."""
    return f"Tea of {leaves} leaves"
''',
    "infra/machines/steep.py": '''"""The state machine of `brew`."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable, Wait, WaitTime
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Wait of three minutes, followed by the tool's run."""
    delay = WaitTime.duration(Duration.minutes(3))
    return Wait(scope, "Steep", time=delay).next(functions.run(scope))
''',
    "tests/tools/test_brew.py": """from collections.abc import Mapping
from datetime import timedelta

import pytest

from mcp_tasks.testing.client import Client
from mcp_tasks.testing.work import StateMachine


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    return {"steep": lambda arguments: timedelta(minutes=3)}


def test_the_tea_is_of_these_leaves(client: Client) -> None:
    assert client.call_tool("brew", {"leaves": "green"}).text == "Tea of green leaves"
""",
}
PROJECTS = {"no tool": NO_TOOL, "one tool": ONE_TOOL}
OWN_FOLDERS = ("layers/tools/python/tools", "infra/machines", "tests/tools")


def project(folder: Path, files: dict[str, str]) -> Path:
    """Make a project with these files in place of all that an adopter may delete, and a stage of another name."""
    as_repository(folder)
    for name in OWN_FOLDERS:
        # Not there in a project whose adopter has deleted it.
        shutil.rmtree(folder / name, ignore_errors=True)
    for path in of_the_template(folder):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    cdk = folder / "cdk.json"
    described = json.loads(cdk.read_text().replace("example.com", "acme.dev"))
    stages = described["context"]["stages"]
    described["context"]["stages"] = {"own": next(iter(stages.values())), "local": stages["local"]}
    cdk.write_text(json.dumps(described, indent=2))
    link_environments(folder)
    return folder


def of_the_template(folder: Path) -> list[Path]:
    """List what copier leaves out of every project: what tests the template's own readme, history and releases."""
    listed = folder / "copier.yml"
    lines = listed.read_text().splitlines() if listed.exists() else []
    patterns = [line.removeprefix("  - /") for line in lines if line.startswith("  - /") and line != "  - /.git"]
    return [path for pattern in patterns for path in folder.glob(pattern)]


def run(folder: Path, *command: str) -> str:
    """Run a command in a project, with nothing of this checkout in reach but what is installed."""
    layers = ["layers/core/python", "layers/tools/python", "layers/examples/python", "."]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(layers)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


def test_a_project_with_its_own_tool_keeps_the_rules_and_is_tested(tmp_path: Path) -> None:
    folder = project(tmp_path, ONE_TOOL)
    run(folder, sys.executable, "-m", "ruff", "check", "--no-cache")
    run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/tools", "tests/test_rooms.py")


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_the_stack_of_a_project_is_synthesised(tmp_path: Path, name: str) -> None:
    folder = project(tmp_path, PROJECTS[name])

    context = json.dumps({"aws:cdk:bundling-stacks": [], "stage": "own"})
    run(folder, "env", "CDK_OUTDIR=made", f"CDK_CONTEXT_JSON={context}", sys.executable, "app.py")

    made = (folder / "made" / "McpTaskServer-own.template.json").read_text()
    assert ('"McpTaskServer-own-steep"' in made) is (name == "one tool")


@pytest.mark.slow
@pytest.mark.parametrize("target", ["lint", "demo", "test"])
@pytest.mark.parametrize("name", PROJECTS)
def test_what_a_project_makes_is_green(tmp_path: Path, name: str, target: str, share: tuple[int, int]) -> None:
    """Run half of the tests in each project: the projects differ in one tool, whose own tests are run apart."""
    (turns, turn), half = share, list(PROJECTS).index(name)
    run(project(tmp_path, PROJECTS[name]), "make", target, f"ONE_IN={2 * turns}", f"TURN={2 * turn + half}")
