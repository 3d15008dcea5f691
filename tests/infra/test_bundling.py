"""The assets as AWS gets them: bundled for real, once."""

import json
import os
import struct
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from aws_cdk import App, Stack
from aws_cdk.assertions import Template
from aws_cdk.aws_lambda import LayerVersion

from infra.bytecode.bundling import PythonAsset
from infra.bytecode.size import sizes_of_packages
from infra.bytecode.wheels import requirements
from infra.function_code import LOADED
from mcp_tasks.limits.aws import MAX_TOOLS_LAYER_BYTES, MAX_UNZIPPED_BYTES
from mcp_tasks.service_data import files
from tests.infra.assembly import ROOT, UNBUNDLED, Assembly, synthesise_once
from tests.shelf import Shelf

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


def test_what_botocore_has_to_know_is_where_the_functions_look_for_it(bundled: Assembly) -> None:
    core = asset_with(bundled, "python/mcp_tasks/__init__.py")
    functions = bundled.of("AWS::Lambda::Function").values()
    (folder,) = {each["Environment"]["Variables"]["SERVICE_DATA"] for each in functions if "Layers" in each}
    found = core / Path(folder).relative_to("/opt")

    assert {str(path.relative_to(found)): path.read_text() for path in found.rglob("*.json")} == files()


def test_what_is_bundled_has_the_versions_that_the_catalogue_says(bundled: Assembly) -> None:
    layer = asset_with(bundled, "catalogue.json")
    path = os.pathsep.join(map(str, [layer / "python", ROOT / "layers/core/python"]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-m", "mcp_tasks.features.catalogue", "examples"]
    printed = subprocess.run(command, env=environment, cwd=layer, check=True, stdout=subprocess.PIPE, text=True).stdout

    versions = {tool["name"]: tool["version"] for tool in json.loads(printed)["tools"]}
    listed = json.loads((layer / "catalogue.json").read_text())["tools"]
    assert versions == {tool["name"]: tool["version"] for tool in listed}
    assert versions
    assert None not in versions.values()


def tools_folder(folder: Path, **changed: str) -> PythonAsset:
    """Return an asset of a folder that has, beside the tools and a program of theirs, an app that is not for Lambda."""
    files = {"app.py": "", "cdk.out/tree.json": "", "requirements.txt": "", "bin/tool": "", "python/tools/app.py": ""}
    for name, text in {**files, **changed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return PythonAsset(source=folder, only=LOADED, unpacked="/opt")


def test_of_the_folder_of_the_tools_only_what_lambda_looks_into_is_in_the_layer(tmp_path: Path) -> None:
    tools_folder(tmp_path / "tools").bundle(tmp_path / "layer")
    bundled = {str(path.relative_to(tmp_path / "layer")) for path in (tmp_path / "layer").rglob("*") if path.is_file()}

    assert bundled == {"bin/tool", "python/tools/app.py", "python/tools/__pycache__/app.cpython-313.pyc"}


def test_a_text_beside_a_tool_is_in_the_layer_whatever_its_ending(tmp_path: Path) -> None:
    beside = {f"python/tools/{name}": name for name in ("review.md", "README.md", "query.sql", "a.txt", "b.json")}

    tools_folder(tmp_path / "tools", **beside).bundle(tmp_path / "layer")

    assert {name: (tmp_path / "layer" / name).read_text() for name in beside} == beside


def test_a_package_that_python_3_13_cannot_compile_is_deployed_and_a_tool_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(tmp_path, monkeypatch)
    digest = shelf.add(files={"old/_py2.py": "print 1\n"})
    lock = tmp_path / "requirements.txt"
    lock.write_text(f"tiny==1.0 --hash=sha256:{digest}\n")

    replace(tools_folder(tmp_path / "tools"), lock=lock).bundle(tmp_path / "layer")

    assert (tmp_path / "layer/python/old/_py2.py").read_text() == "print 1\n"
    with pytest.raises(SystemExit, match="cannot compile"):
        tools_folder(tmp_path / "broken", **{"python/tools/app.py": "print 1\n"}).bundle(tmp_path / "other")


@pytest.mark.parametrize(
    ("changed", "another"),
    [
        ({"app.py": "A = 1", "cdk.out/tree.json": "{}", "python/tools/a.pyc": "a"}, False),
        ({"python/tools/app.py": "A = 1"}, True),
        ({"bin/tool": "A = 1"}, True),
        ({"python/tools/review.md": "Review."}, True),
    ],
)
def test_a_layer_is_another_one_once_a_file_in_it_is(tmp_path: Path, changed: dict[str, str], another: bool) -> None:
    def layer(**changed: str) -> object:
        stack = Stack(App(context=dict(UNBUNDLED)), "S")
        LayerVersion(stack, "Layer", code=tools_folder(tmp_path, **changed).code)
        return Template.from_stack(stack).to_json()["Resources"]

    assert (layer() != layer(**changed)) is another


def test_the_layer_has_the_versions_that_the_tests_run_with() -> None:
    assert LOCKED
    assert {name: rest.split()[0] for name, rest in LOCKED.items()} == {name: f"=={version(name)}" for name in LOCKED}


def test_the_core_and_the_functions_leave_the_room_that_tools_are_promised(bundled: Assembly) -> None:
    ours = [asset_with(bundled, path) for path in ("python/mcp_tasks/__init__.py", "functions/serve_mcp/handler.py")]
    taken = sum(sizes_of_packages(asset).total() for asset in ours)

    assert 0.8 < taken / (MAX_UNZIPPED_BYTES - MAX_TOOLS_LAYER_BYTES) <= 1
