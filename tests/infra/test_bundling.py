"""The assets as AWS gets them: bundled for real, once."""

import struct
from importlib.metadata import version
from pathlib import Path

import pytest

from infra.bytecode.size import sizes_of_packages
from infra.bytecode.wheels import requirements
from mcp_tasks.limits.aws import MAX_TOOLS_LAYER_BYTES, MAX_UNZIPPED_BYTES
from tests.infra.assembly import ROOT, Assembly, synthesise_once

PYTHON_3_13 = 3571
UNCHECKED_HASH = 0b01
LOCKED = requirements(ROOT / "layers" / "core" / "requirements.txt")


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The stack with its assets: pip, the compiler and all."""
    return synthesise_once(tmp_path_factory, "bundled", {})


def asset_with(assembly: Assembly, path: str) -> Path:
    """Return the asset that holds a file."""
    (asset,) = [asset for asset in assembly.folder.glob("asset.*") if (asset / path).exists()]
    return asset


def test_every_module_of_every_asset_is_compiled_for_lambda_and_trusted_as_it_is(bundled: Assembly) -> None:
    sources = list(bundled.folder.glob("asset.*/**/*.py"))
    headers = {header(source) for source in sources}

    assert len(sources) > 300
    assert headers == {(PYTHON_3_13, UNCHECKED_HASH)}


def header(source: Path) -> tuple[int, int]:
    """Return magic number and flags of a module's bytecode."""
    magic, flags = struct.unpack(
        "<HxxI", (source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc").read_bytes()[:8]
    )
    return magic, flags


def test_a_traceback_names_the_file_where_lambda_has_it(bundled: Assembly) -> None:
    compiled = "__pycache__/handler.cpython-313.pyc"
    functions = asset_with(bundled, "functions/serve_mcp/handler.py")

    assert b"/var/task/functions/serve_mcp/handler.py" in (functions / "functions/serve_mcp" / compiled).read_bytes()


def test_the_core_layer_holds_wheels_for_lambdas_processor_and_no_test_of_ours(bundled: Assembly) -> None:
    core = asset_with(bundled, "python/mcp_tasks/__init__.py")
    native = {path.name for path in core.glob("python/**/*.so")}

    assert {path.name for path in core.iterdir()} == {"python"}
    assert "_pydantic_core.cpython-313-aarch64-linux-gnu.so" in native
    assert all("aarch64" in name or name.endswith(".abi3.so") for name in native)
    assert not list(core.glob("**/*.md"))


def test_what_adopters_test_with_is_not_deployed(bundled: Assembly) -> None:
    core = asset_with(bundled, "python/mcp_tasks/__init__.py")
    deployed = {path.name for path in (core / "python/mcp_tasks").iterdir()}

    assert "wire" in deployed
    assert "testing" not in deployed


def test_the_layer_has_the_versions_that_the_tests_run_with() -> None:
    assert LOCKED
    assert {name: rest.split()[0] for name, rest in LOCKED.items()} == {name: f"=={version(name)}" for name in LOCKED}


def test_the_core_and_the_functions_leave_the_room_that_tools_are_promised(bundled: Assembly) -> None:
    ours = [asset_with(bundled, path) for path in ("python/mcp_tasks/__init__.py", "functions/serve_mcp/handler.py")]
    taken = sum(sizes_of_packages(asset).total() for asset in ours)

    assert 0.8 < taken / (MAX_UNZIPPED_BYTES - MAX_TOOLS_LAYER_BYTES) <= 1
