"""Which wheels get into a layer: those that Lambda can load, and only those whose hash is known."""

import hashlib
import json
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from infra.bytecode.wheels import install, unhashed
from tests.infra.assembly import ROOT

LOCKS = sorted((ROOT / "local").glob("*/package-lock.json"))


def wheel(folder: Path, tag: str) -> str:
    """Make a wheel that holds one module, and return its hash."""
    file = folder / f"tiny-1.0-{tag}.whl"
    about = "tiny-1.0.dist-info"
    with ZipFile(file, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
        archive.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip knows of the world."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return tmp_path


def required(folder: Path, digest: str | None) -> Path:
    file = folder / "requirements.txt"
    file.write_text("tiny==1.0" + (f" --hash=sha256:{digest}\n" if digest else "\n"))
    return file


@pytest.mark.parametrize(
    "tag",
    [
        "cp313-cp313-manylinux_2_28_aarch64",
        "cp313-cp313-manylinux_2_34_aarch64",
        "cp313-cp313-manylinux_2_17_aarch64",
        "cp313-cp313-manylinux2014_aarch64",
        "cp39-abi3-manylinux_2_28_aarch64",
        "py3-none-any",
    ],
)
def test_a_wheel_that_lambda_can_load_is_installed(shelf: Path, tag: str) -> None:
    install(required(shelf, wheel(shelf, tag)), shelf / "layer")

    assert (shelf / "layer" / "tiny.py").exists()


@pytest.mark.parametrize(
    "tag",
    [
        "cp313-cp313-manylinux_2_35_aarch64",
        "cp313-cp313-manylinux_2_28_x86_64",
        "cp313-cp313-musllinux_1_2_aarch64",
        "cp312-cp312-manylinux_2_28_aarch64",
        "cp313-cp313t-manylinux_2_28_aarch64",
    ],
)
def test_a_wheel_that_lambda_cannot_load_is_not(shelf: Path, tag: str) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        install(required(shelf, wheel(shelf, tag)), shelf / "layer")


@pytest.mark.parametrize("digest", ["0" * 64, None])
def test_a_wheel_that_is_not_the_one_that_was_pinned_is_not_installed(shelf: Path, digest: str | None) -> None:
    wheel(shelf, "py3-none-any")

    with pytest.raises(subprocess.CalledProcessError):
        install(required(shelf, digest), shelf / "layer")
    assert not (shelf / "layer" / "tiny.py").exists()


def test_the_core_is_pinned_by_hash() -> None:
    assert unhashed(ROOT / "layers" / "core" / "requirements.txt") == []


@pytest.mark.parametrize("text", ["tiny==1.0 \\\n    --hash=sha256:00\n", "# tiny\n\ntiny==1.0 --hash=sha256:00\n"])
def test_hashes_are_found_as_other_tools_write_them(tmp_path: Path, text: str) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(text)

    assert unhashed(file) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_every_package_of_node_is_pinned_by_hash(lock: Path) -> None:
    packages = json.loads(lock.read_text())["packages"]
    pinned = [name for name, package in packages.items() if package.get("integrity", "").startswith("sha512-")]

    # The one without a name is ours.
    assert len(pinned) > 1
    assert packages.keys() - set(pinned) == {""}


def test_nothing_of_node_is_installed_without_its_lock() -> None:
    makefile = (ROOT / "Makefile").read_text()

    assert len(LOCKS) == 3
    assert "npm ci " in makefile
    assert not any(loose in makefile for loose in ("npm install", "npm i ", "npx "))
