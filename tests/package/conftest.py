"""The wheel, in an environment that has nothing of this checkout, and an app of somebody else's that uses it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests.docs.blocks import blocks

ROOT = Path(__file__).parents[2]
FOREIGN = Path(__file__).with_name("foreign")
SYNTH = "app.synth()\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A virtual environment with the wheel, and a project in which its Python is run."""

    python: Path
    project: Path

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the project, with no path of this checkout."""
        ours = {"PYTHONPATH", "VIRTUAL_ENV"}
        environment = {name: value for name, value in os.environ.items() if name not in ours} | variables
        command = (str(self.python), *command)
        return subprocess.run(command, cwd=self.project, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make package` builds."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*build, str(ROOT / "layers/core")], check=True)
    (built,) = folder.glob("*.whl")
    return built


def app_of_the_page() -> str:
    """Return the app of docs/embedding.md, with the second server that the page adds to it."""
    first, second = blocks("docs/embedding.md", "python")
    return f"{first.removesuffix(SYNTH)}{second}{SYNTH}"


@pytest.fixture(scope="session", params=["linked", pytest.param("empty", marks=pytest.mark.slow)])
def environment(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment into which the wheel was installed: with what it requires, or with a link to what is installed."""
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    python = folder / "env/bin/python"
    install = [find_uv_bin(), "pip", "install", "--quiet", "--system-certs", f"--python={python}"]
    if request.param == "empty":
        required = [f"mcp-task-server[infra,testing] @ {wheel.as_uri()}", "cdk-nag", "mypy"]
        subprocess.run([*install, f"--constraints={ROOT / 'local/requirements/dev.lock'}", *required], check=True)
    else:
        subprocess.run([*install, "--offline", "--no-deps", str(wheel)], check=True)
        (site,) = (folder / "env/lib").glob("python*/site-packages")
        (site / "linked.pth").write_text(sysconfig.get_path("purelib"))
    shutil.copytree(FOREIGN, folder / "project", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "project/page.py").write_text(app_of_the_page())
    return Environment(python=python, project=folder / "project")
