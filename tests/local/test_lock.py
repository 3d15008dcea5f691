"""`make lock`: what is installed here is known by version and hash, with all that it requires."""

import re
from pathlib import Path

import pytest

from infra.bytecode.wheels import requirements
from local.lock import ENVIRONMENTS, lock, lock_layer
from tests.infra.assembly import ROOT
from tests.shelf import Shelf

WANTED = [ROOT / "requirements.txt", *sorted((ROOT / ENVIRONMENTS).glob("*.txt"))]


def locked(wanted: Path) -> Path:
    return ROOT / ENVIRONMENTS / ("dev.lock" if wanted.parent == ROOT else f"{wanted.stem}.lock")


def pins(file: Path) -> set[tuple[str, str]]:
    """Return name and version of everything that a file pins."""
    found = re.findall(r"^([\w.-]+)(?:\[.*])?==([^\s\\]+)", file.read_text(), re.MULTILINE)
    return {(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in found}


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.stem)
def test_every_environment_is_locked_with_hashes(wanted: Path) -> None:
    assert pins(wanted)
    assert pins(wanted) <= pins(locked(wanted))
    assert all("--hash=sha256:" in rest for rest in requirements(locked(wanted)).values())


def test_a_lock_has_what_is_required_in_turn_and_the_hashes_for_every_platform(shelf: Shelf, tmp_path: Path) -> None:
    first = shelf.add("first", requires=["second", 'third ; sys_platform == "win32"'])
    second = {shelf.add("second", tag=f"cp311-cp311-manylinux_2_28_{processor}") for processor in ("x86_64", "aarch64")}
    third = shelf.add("third")
    file = tmp_path / "any.lock"

    lock(wanting(tmp_path, "first"), file)

    assert pins(file) == {("first", "1.0"), ("second", "1.0"), ("third", "1.0")}
    assert set(re.findall(r"sha256:(\w+)", file.read_text())) == {first, *second, third}
    assert "third==1.0 ; sys_platform == 'win32'" in file.read_text()


def test_locking_again_changes_nothing_although_there_are_newer_versions(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add()
    file, wanted = tmp_path / "any.lock", wanting(tmp_path, "tiny")
    lock(wanted, file)
    before = file.read_bytes()

    shelf.add(version="1.1")
    lock(wanted, file)

    assert file.read_bytes() == before


def test_what_cannot_be_resolved_leaves_the_lock_as_it_was(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("first", requires=["second"])
    file = tmp_path / "any.lock"
    file.write_text("as it was")

    with pytest.raises(SystemExit, match=f"cannot be resolved, for the reason above: {file} is unchanged"):
        lock(wanting(tmp_path, "first"), file)
    assert file.read_text() == "as it was"


def test_a_lock_of_one_platform_becomes_one_of_all_in_the_same_versions(shelf: Shelf, tmp_path: Path) -> None:
    here, there = (shelf.add(tag=f"cp311-cp311-manylinux_2_28_{processor}") for processor in ("x86_64", "aarch64"))
    shelf.add(version="1.1")
    file = tmp_path / "any.lock"
    file.write_text(f"tiny==1.0 --hash=sha256:{there}\n")

    lock(wanting(tmp_path, "tiny"), file)

    assert pins(file) == {("tiny", "1.0")}
    assert set(re.findall(r"sha256:(\w+)", file.read_text())) == {here, there}


@pytest.mark.parametrize("before", ["# as it was\n", None])
def test_a_package_that_lambda_could_not_load_is_refused_when_it_is_locked(
    shelf: Shelf, tmp_path: Path, before: str | None
) -> None:
    shelf.add(tag="cp313-cp313-manylinux_2_28_x86_64")
    wanting(tmp_path, "tiny")
    file = tmp_path / "requirements.txt"
    if before:
        file.write_text(before)

    with pytest.raises(
        SystemExit,
        match=r"cannot be installed for Lambda's Python 3\.13 on arm64(?s:.*)another version(?s:.*)as it was",
    ):
        lock_layer(tmp_path, options=())
    assert (file.read_text() if file.exists() else None) == before


@pytest.mark.parametrize(
    "line",
    [
        *("-e ./mine", "./mine", "mine/mine-1.0-py3-none-any.whl", "git+https://example.com/mine.git"),
        *("mine @ git+https://example.com/mine.git", "--extra-index-url https://example.com/simple", "-r more.in"),
        *("numpy pandas", "numpy, pandas"),
    ],
)
def test_what_has_no_hash_is_refused_in_a_sentence(tmp_path: Path, line: str) -> None:
    wanting(tmp_path, "# what tools import", "", line)

    with pytest.raises(SystemExit, match=rf"requirements.in: '{re.escape(line)}' is no package of an index, such as"):
        lock_layer(tmp_path)


def test_every_way_to_name_a_package_may_be_locked(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("first")
    shelf.add("second")
    wanting(tmp_path, "first[fast]>=1,<2  # why", "  second ; python_version > '3'", "", "# none")
    lock_layer(tmp_path, options=())

    assert pins(tmp_path / "requirements.txt") == {("first", "1.0"), ("second", "1.0")}


def test_a_version_that_tools_share_with_the_server_says_where_it_is(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("pydantic", version="1.0")
    wanting(tmp_path, "pydantic==1.0")

    with pytest.raises(SystemExit, match=r"for the reason above: local/requirements/dev.lock has versions that hold"):
        lock_layer(tmp_path)


def test_a_layer_that_does_not_say_what_it_requires_is_told_where(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"There is no .*/requirements\.in: write in it the packages"):
        lock_layer(tmp_path)


def wanting(folder: Path, *names: str) -> Path:
    file = folder / "requirements.in"
    file.write_text("".join(f"{name}\n" for name in names))
    return file
