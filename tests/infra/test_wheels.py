"""Which wheels get into a layer: those that Lambda can load, and only those whose hash is known."""

import json
from pathlib import Path

import pytest

from infra.bytecode.wheels import check, install, unlocked
from tests.infra.assembly import ROOT
from tests.shelf import Shelf

LOCKS = sorted((ROOT / "local").glob("*/package-lock.json"))


def locked(folder: Path, **packages: str | None) -> Path:
    """Write a lock of packages by name, each with a hash or none."""
    file = folder / "requirements.txt"
    hashes = {name: f" --hash=sha256:{digest}" if digest else "" for name, digest in packages.items()}
    file.write_text("".join(f"{name}==1.0{digest}\n" for name, digest in hashes.items()))
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
def test_a_wheel_that_lambda_can_load_is_installed(shelf: Shelf, tmp_path: Path, tag: str) -> None:
    install(locked(tmp_path, tiny=shelf.add(tag=tag)), tmp_path / "layer")

    assert {path.name for path in (tmp_path / "layer").iterdir()} == {"tiny.py", "tiny-1.0.dist-info"}


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
def test_a_wheel_that_lambda_cannot_load_is_not(shelf: Shelf, tmp_path: Path, tag: str) -> None:
    with pytest.raises(SystemExit, match="tiny"):
        install(locked(tmp_path, tiny=shelf.add(tag=tag)), tmp_path / "layer")


@pytest.mark.parametrize("digest", ["0" * 64, None])
def test_a_wheel_that_is_not_the_one_that_was_locked_is_not_installed(
    shelf: Shelf, tmp_path: Path, digest: str | None
) -> None:
    shelf.add()

    with pytest.raises(SystemExit, match="tiny"):
        install(locked(tmp_path, tiny=digest), tmp_path / "layer")
    assert not (tmp_path / "layer" / "tiny.py").exists()


@pytest.mark.parametrize(
    "more", [{"tiny.py": "import os"}, {"sitecustomize.py": ""}, {"tiny-1.0.dist-info/entry_points.txt": ""}]
)
def test_a_file_that_is_not_what_its_wheel_says_is_not_deployed(
    shelf: Shelf, tmp_path: Path, more: dict[str, str]
) -> None:
    with pytest.raises(SystemExit, match=f"not what is in the wheels, {next(iter(more))}: "):
        install(locked(tmp_path, tiny=shelf.add(more=more)), tmp_path / "layer")


@pytest.mark.parametrize("contents", [("first", "second"), ("same", "same")])
def test_packages_with_the_same_file_are_deployed_with_one_of_both(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str], contents: tuple[str, str]
) -> None:
    packages = {
        name: shelf.add(name, files={"tests/__init__.py": content})
        for name, content in zip(("one", "two"), contents, strict=True)
    }

    # Which one is there is decided by a race.
    for attempt in range(8):
        install(locked(tmp_path, **packages), tmp_path / f"layer{attempt}")
        assert (tmp_path / f"layer{attempt}" / "tests" / "__init__.py").read_text() in contents

    said = "one-1.0 and two-1.0 have another tests/__init__.py each: one is deployed."
    assert (said in capsys.readouterr().err) is (contents[0] != contents[1])


def test_a_file_that_several_packages_have_and_none_as_it_is_there_is_not_deployed(
    shelf: Shelf, tmp_path: Path
) -> None:
    packages = {name: shelf.add(name, files={"data.txt": name}, more={"data.txt": "other"}) for name in ("one", "two")}

    with pytest.raises(SystemExit, match=r"not what is in the wheels, data\.txt: "):
        install(locked(tmp_path, **packages), tmp_path / "layer")


def test_a_file_that_was_changed_in_the_cache_is_not_deployed(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installer compares a wheel with the lock when it downloads it, and then believes its own copy."""
    monkeypatch.delenv("UV_NO_CACHE")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    lock = locked(tmp_path, tiny=shelf.add())
    install(lock, tmp_path / "before")
    (cached,) = {path.resolve() for path in (tmp_path / "cache").rglob("tiny.py")}
    cached.write_text("import os")

    with pytest.raises(SystemExit, match="changed uv's cache"):
        install(lock, tmp_path / "after")


def test_a_lock_that_lacks_what_a_package_requires_is_not_installed(shelf: Shelf, tmp_path: Path) -> None:
    first = shelf.add("first", requires=["second"])
    shelf.add("second")

    with pytest.raises(SystemExit) as refused:
        install(locked(tmp_path, first=first), tmp_path / "layer")
    lines = str(refused.value).splitlines()
    assert lines[0].endswith("requirements.txt cannot be installed for Lambda's Python 3.13 on arm64:")
    assert "no trusted hash was provided for: `second`" in str(refused.value)
    assert lines[-1].startswith("`make lock` (in an app of your own, `uv pip")


def test_what_is_for_lambda_alone_is_installed_and_what_is_not_for_it_is_not(shelf: Shelf, tmp_path: Path) -> None:
    on_lambda = 'python_version >= "3.13" and platform_machine == "aarch64" and sys_platform == "linux"'
    elsewhere = 'sys_platform == "win32" or python_version < "3.13" or platform_machine == "x86_64"'
    first = shelf.add("first", requires=[f"second ; {on_lambda}", f"third ; {elsewhere}"])

    install(locked(tmp_path, first=first, second=shelf.add("second")), tmp_path / "layer")

    assert {path.name for path in (tmp_path / "layer").glob("*.py")} == {"first.py", "second.py"}


def test_what_the_core_has_is_not_installed_twice(shelf: Shelf, tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.mkdir()
    first, second = shelf.add("first", requires=["second"]), shelf.add("second")

    install(locked(tmp_path, first=first, second=second), tmp_path / "layer", without=locked(core, second=second))

    assert {path.name for path in (tmp_path / "layer").glob("*.py")} == {"first.py"}


def test_what_is_only_checked_is_not_installed(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = locked(tmp_path, tiny=shelf.add())
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    check(lock)

    assert not list((tmp_path / "here").iterdir())


def test_a_package_has_one_version_in_both_layers(shelf: Shelf, tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.mkdir()
    tools, newer = shelf.add(), shelf.add(version="1.1")
    (core / "requirements.txt").write_text(f"tiny==1.1 --hash=sha256:{newer}\n")

    with pytest.raises(SystemExit, match=r"you require tiny==1\.\d and tiny==1\.\d, we can conclude"):
        install(locked(tmp_path, tiny=tools), tmp_path / "layer", without=core / "requirements.txt")


def test_the_core_is_locked() -> None:
    assert unlocked(ROOT / "layers" / "core") == []


@pytest.mark.parametrize("text", ["tiny==1.0 \\\n    --hash=sha256:00\n", "# tiny\n\ntiny==1.0 --hash=sha256:00\n"])
def test_hashes_are_found_as_other_tools_write_them(tmp_path: Path, text: str) -> None:
    (tmp_path / "requirements.txt").write_text(text)
    (tmp_path / "requirements.in").write_text("# why\nTiny[extra]>=1 ; python_version > '3'\n")

    assert unlocked(tmp_path) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_every_package_of_node_is_pinned_by_hash(lock: Path) -> None:
    packages = json.loads(lock.read_text())["packages"]
    pinned = [name for name, package in packages.items() if package.get("integrity", "").startswith("sha512-")]

    # The one without a name is ours.
    assert len(pinned) > 1
    assert packages.keys() - set(pinned) == {""}


def test_nothing_of_node_is_installed_without_its_lock() -> None:
    makefile = (ROOT / "Makefile").read_text()

    assert len(LOCKS) == 6
    assert "npm ci " in makefile
    assert not any(loose in makefile for loose in ("npm install", "npm i ", "npx "))
