"""The package's public names: each can be imported, and three lists of them agree."""

import ast
import inspect
import json
import subprocess
import sys
from importlib import import_module

import pytest

import mcp_tasks

HEAVY = ("pydantic", "pydantic_core", "jsonschema", "referencing", "cryptography", "botocore", "asyncio")


def imported_for_types() -> dict[str, str]:
    """Return what type checkers read: each name, and the module that it comes from."""
    tree = ast.parse(inspect.getsource(mcp_tasks))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    lines = [line for line in guarded.body if isinstance(line, ast.ImportFrom)]
    return {alias.asname or alias.name: line.module or "" for line in lines for alias in line.names}


def looked_up() -> dict[str, str]:
    """Return what programs get: each name, and the module that it comes from."""
    homes = mcp_tasks._HOMES
    return {name: f"mcp_tasks.{home}" for home, names in homes.items() for name in names}


def imported_by(line: str) -> list[str]:
    """Return what a fresh process has imported after a line."""
    program = f"{line}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def test_what_is_promised_is_what_types_and_programs_find() -> None:
    assert imported_for_types() == looked_up()
    assert sorted(looked_up()) == sorted(mcp_tasks.__all__)


def test_no_name_is_listed_twice() -> None:
    names = [name for names in mcp_tasks._HOMES.values() for name in names]

    assert len(set(names)) == len(names)
    assert len(set(mcp_tasks.__all__)) == len(mcp_tasks.__all__)


@pytest.mark.parametrize("name", mcp_tasks.__all__)
def test_a_public_name_is_the_object_of_its_module(name: str) -> None:
    assert getattr(mcp_tasks, name) is getattr(import_module(looked_up()[name]), name)


def test_a_star_brings_all_of_it_and_nothing_else() -> None:
    names: dict[str, object] = {}
    exec("from mcp_tasks import *", names)

    assert sorted(names.keys() - {"__builtins__"}) == sorted(mcp_tasks.__all__)


@pytest.mark.parametrize("name", ["tols", "Toolbox", "features_", "__path", "_anything", ""])
def test_any_other_name_is_not_there(name: str) -> None:
    assert not hasattr(mcp_tasks, name)
    with pytest.raises(AttributeError, match=f"module 'mcp_tasks' has no attribute '{name}'"):
        getattr(mcp_tasks, name)


def test_a_wrong_name_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match="cannot import name 'Tols'"):
        exec("from mcp_tasks import Tols")


def test_the_face_alone_imports_nothing_of_ours() -> None:
    assert [name for name in imported_by("import mcp_tasks") if name.startswith(("mcp_tasks.", *HEAVY))] == []


@pytest.mark.parametrize("names", ["tool, prompt, resource", "Context, Caller, ToolError, McpError", "Header, Image"])
def test_what_brings_nothing_heavy_does_not_wait_for_it(names: str) -> None:
    found = imported_by(f"from mcp_tasks import {names}")

    assert [name for name in found if name.partition(".")[0] in HEAVY] == []


def test_who_asks_without_a_form_does_not_bring_what_forms_need() -> None:
    found = imported_by("from mcp_tasks import Elicit, Sample, ListRoots, Accepted")

    assert "mcp_tasks.authoring.input_requests" in found
    assert [name for name in found if name.partition(".")[0] in HEAVY] == []
