"""Packages that tools are made of, from PyPI to a layer: locked, installed for Lambda, and of a size that it takes."""

import re
from pathlib import Path

import pytest

from infra.bytecode.bundling import PythonAsset
from infra.bytecode.wheels import install, requirements, unlocked
from infra.function_code import LOADED
from local.lock import CORE, lock_layer
from mcp_tasks.limits.aws import MAX_TOOLS_LAYER_BYTES
from tests.infra.assembly import ROOT

pytestmark = pytest.mark.slow

AARCH64 = 183
CORE_LOCK = CORE / "requirements.txt"

# As docs/dependencies.md says.
FITTING = ["polars httpx pillow", "pandas httpx pillow", "pyarrow httpx pillow"]


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def layer_of(folder: Path, packages: str) -> Path:
    """Make a layer that requires these packages, and lock it."""
    layer = folder / "layer"
    (layer / "python").mkdir(parents=True)
    (layer / "requirements.in").write_text(packages.replace(" ", "\n"))
    lock_layer(layer, without=CORE_LOCK)
    return layer


def bundle(layer: Path, output: Path) -> None:
    asset = PythonAsset(
        source=layer,
        only=LOADED,
        unpacked="/opt",
        lock=layer / "requirements.txt",
        without=CORE_LOCK,
        limit=MAX_TOOLS_LAYER_BYTES,
    )
    asset.bundle(output)


@pytest.mark.parametrize("packages", FITTING)
def test_packages_that_fit_are_bundled_for_lambdas_processor(tmp_path: Path, packages: str) -> None:
    bundle(layer_of(tmp_path, packages), tmp_path / "asset")

    installed = tmp_path / "asset" / "python"
    native = {path: header for path in installed.rglob("*") if (header := head(path)).startswith(b"\x7fELF")}
    assert all(list(installed.glob(f"{name}-*.dist-info")) for name in packages.split())
    assert {int.from_bytes(header[18:20], "little") for header in native.values()} == {AARCH64}
    assert all(".cpython-" not in path.name or ".cpython-313-" in path.name for path in native)


def test_all_of_them_resolve_together_and_are_refused_as_one_layer(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, "polars pandas pyarrow httpx pillow")

    with pytest.raises(SystemExit, match=r"may be 210 MB.* The largest are _polars_runtime_32 \d+ MB, pyarrow \d+ MB"):
        bundle(layer, tmp_path / "asset")


def head(file: Path) -> bytes:
    """Return the first bytes of a file, in which a library names its processor."""
    if not file.is_file():
        return b""
    with file.open("rb") as opened:
        return opened.read(20)


def test_what_is_deployed_is_what_is_locked_by_hash(tmp_path: Path) -> None:
    """`.ci/run` runs it: the wheels of the core layer come from the index, are compared with the lock, and no other."""
    install(CORE_LOCK, tmp_path / "layer")
    about = (path.name.removesuffix(".dist-info") for path in (tmp_path / "layer").glob("*.dist-info"))
    installed = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in (each.split("-") for each in about)}

    locked = requirements(CORE_LOCK)
    assert unlocked(CORE) == []
    assert installed.keys() <= locked.keys()
    assert all(locked[name].startswith(f"=={version}") for name, version in installed.items())
    assert len(installed) > 5
