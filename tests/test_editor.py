"""An editor, and a type checker in its strictest mode, understand what an adopter writes, given only `.venv`."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYRIGHT = ROOT / ".local" / "node_pyright" / "node_modules" / ".bin" / "pyright"
TOOL = '''
"""Cleans up, but asks first."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from mcp_tasks import Accepted, Context, Declined, Form, ToolError, prompt, resource, tool
from examples import TOOLS as OTHERS


class Confirmation(Form):
    really: bool
    reason: str = "no longer needed"


@dataclass
class Emptied:
    files: int
    reason: str


def count(folder: str) -> int:
    return len(folder)


@tool(title="Clean up", ttl=timedelta(days=3))
def clean_up(folder: str, context: Context) -> Emptied:
    """Empty a folder, if its owner agrees."""
    if not folder:
        raise ToolError("Name a folder.")
    found = context.step("count", partial(count, folder))
    context.report_progress(1, 2, "counted")
    question = f"Delete {found} files in {folder}?"
    match context.elicit(question, Confirmation, key="confirm", timeout=timedelta(days=2), default=Declined()):
        case Accepted(value=answer) if answer.really:
            return Emptied(found, answer.reason)
        case _:
            return Emptied(0, "nobody agreed")


@resource("report://{year}", mime_type="text/plain")
def report(year: str) -> str:
    """The report of a year."""
    return year


@prompt(title="Discuss a report")
def discuss(year: str) -> str:
    """Start from a report."""
    return f"Read report://{year}."


TOOLS = [clean_up, *OTHERS]
PROMPTS = [discuss]
RESOURCES = [report]
'''
TEST = """
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness


def test_nothing_is_deleted_unless_somebody_agrees(client: Client, harness: Harness) -> None:
    task = client.start_task("clean_up", {"folder": "photos"})
    harness.advance(days=2)
    task.input_requests[0].decline()
    assert "nobody agreed" in task.wait().text
"""
MISTAKE = "from mcp_tasks import Context\n\n\ndef ask(context: Context) -> str:\n    return context.step(1, len)\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a tool, its test, and a new `.venv` that make has told where the code is."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=tmp_path, check=True)
    subprocess.run(_of_make(), cwd=tmp_path, shell=True, check=True)
    (packages,) = tmp_path.glob(".venv/lib/python*/site-packages")
    # What `make` installs, pydantic above all, is that of the tests here.
    (packages / "installed.pth").write_text(sysconfig.get_path("purelib"))
    for name, text in {"clean_up.py": TOOL, "test_clean_up.py": TEST}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def _of_make() -> str:
    """Return the command by which `make` tells a new `.venv` where the code is."""
    plan = subprocess.run(
        ["make", "-s", "-n", "-W", "local/requirements/dev.lock", ".venv/without_tools"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    (command,) = [line for line in plan.stdout.splitlines() if ".pth" in line]
    return command


def complaints(command: Sequence[str | Path], folder: Path) -> str:
    """Run a type checker without the import path of make; returns what it printed, "" if it found nothing."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout if done.returncode else ""


def test_mypy_understands_an_adopters_files(files: Path) -> None:
    (files / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    command = [sys.executable, "-m", "mypy", "--python-executable", ".venv/bin/python"]

    assert complaints([*command, "clean_up.py", "test_clean_up.py"], files) == ""
    (files / "mistake.py").write_text(MISTAKE)
    assert "mistake.py:5: error" in complaints([*command, "mistake.py"], files)


@pytest.mark.slow
def test_pyright_understands_an_adopters_files(files: Path) -> None:
    (files / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "venvPath": ".", "venv": ".venv"}')

    assert complaints([PYRIGHT, "clean_up.py", "test_clean_up.py"], files) == ""
    (files / "mistake.py").write_text(MISTAKE)
    assert "mistake.py:5" in complaints([PYRIGHT, "mistake.py"], files)
