"""The targets of make, as far as they can be checked without running them."""

import re
import subprocess
from pathlib import Path

import pytest

from local.emulator import ROOT


def test_make_by_itself_lists_every_target_and_how_long_it_takes() -> None:
    (targets,) = re.findall(r"^\.PHONY: help (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    # A make within a make, as under `make test`, would say that it enters the directory.
    command = ["make", "--no-print-directory"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout

    rows = [re.split(r" {2,}", line.removeprefix("make ")) for line in listed.splitlines()]

    assert [row[0] for row in rows] == ["help", *targets.split()]
    assert all(re.fullmatch(r"seconds|minutes|\d+ min|until \^C", row[1]) for row in rows)
    assert all(row[2] for row in rows)


def test_a_lock_without_what_it_was_made_from_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "layers" / "tools").mkdir(parents=True)
    (tmp_path / "layers" / "tools" / "requirements.txt").write_text("tiny==1.0 --hash=sha256:00\n")

    said = refused(tmp_path, "--old-file=.venv/without_tools", ".venv/ready")

    assert "Write what your tools import in layers/tools/requirements.in, and run make lock" in said


def test_an_update_of_a_project_that_does_not_say_what_it_was_made_from_is_told_in_a_sentence(tmp_path: Path) -> None:
    said = refused(tmp_path, "--old-file=.local/copier/ready", "update")

    assert "No .copier-answers.yml says which release this project has: docs/upgrading.md says" in said


@pytest.mark.parametrize("value", ["yes", "true", "on", "11", "1 0 yes"])
@pytest.mark.parametrize(("target", "switch"), [("serve", "AUTH"), ("tenant", "ERASE"), ("top", "ONCE")])
def test_a_switch_that_is_neither_1_nor_0_is_told_in_a_sentence(
    tmp_path: Path, target: str, switch: str, value: str
) -> None:
    said = refused(tmp_path, "--old-file=.venv/ready", target, f"{switch}={value}")

    assert f'{switch} is 1, or left out: "{value}" is neither' in said


@pytest.mark.parametrize(("value", "given"), [("1", True), ("0", False), ("", False)])
@pytest.mark.parametrize(("target", "switch", "option"), [("serve", "AUTH", "--auth"), ("top", "ONCE", "--once")])
def test_a_switch_of_1_is_on_and_of_0_is_off(target: str, switch: str, option: str, value: str, given: bool) -> None:
    command = ["make", "--dry-run", "--no-print-directory", "--old-file=.venv/ready", target, f"{switch}={value}"]
    ran = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout

    assert (option in ran) is given


def refused(folder: Path, *arguments: str) -> str:
    """Run make in a folder, and return what it says on refusing."""
    done = subprocess.run(
        ["make", f"--file={ROOT / 'Makefile'}", *arguments], cwd=folder, check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    return done.stderr
