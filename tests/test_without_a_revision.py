"""A revision is deleted by what its paths are called and one line: whatever is left works without it."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from mcp_tasks.wire.revisions import PACKAGES
from tests.checkout import ROOT, copied

TESTS = Path(__file__).parent
LISTED = "layers/core/python/mcp_tasks/wire/revisions.py"
LINKED = (".venv", ".local")
"""What is installed, which no revision is part of."""

SERVED = ("conformance", "local", "stack")
"""These start servers and depend on real time, so they run one after the other."""

WITH_GIT = ("deploys", "template", "test_without_examples.py")
ELSEWHERE = ("clients", "first_day", "live", "simulation", *WITH_GIT, Path(__file__).name)
"""The official clients are a part of their own, and the first day calls with them; a deployed stage is on AWS, a copy
is no repository with releases, and this file would never end."""

OF_ALL = ("tests/simulation/", "tests/template/test_simulated_release.py")
"""A story is of clients of both revisions, one of which answers what the other was asked: it goes with either."""

QUICK = [
    f"tests/{path.name}"
    for path in sorted([*TESTS.glob("test_*.py"), *(each for each in TESTS.iterdir() if [*each.rglob("test_*.py")])])
    if path.name not in (*SERVED, *ELSEWHERE)
]
PARTS = {
    "quick": ["-n", "auto", "--dist", "worksteal", *QUICK],
    "served": [f"tests/{name}" for name in SERVED],
    "clients": ["-m", "clients", "tests/clients"],
}
CODE = ("functions", "infra", "layers", "local")
SAMPLE = ("testing", "examples", "test_rooms.py", "protocol/test_requirements.py", "protocol/test_browsers.py")


def owned(revision: str) -> list[str]:
    """Return what the paths of a revision are called: its own name, and the functions that only it declares."""
    declared = {each: set(import_module(f"mcp_tasks.wire.{each}").FUNCTIONS) for each in PACKAGES}
    others = {name for each, names in declared.items() if each != revision for name in names}
    return [revision, *OF_ALL, *(f"functions/{name}/" for name in declared[revision] - others)]


def without(revision: str, copy: Path) -> Path:
    """Copy the checkout as it is, but for a revision."""
    copied(copy, keep=lambda name: not any(each in name for each in owned(revision)))
    for name in LINKED:
        (copy / name).symlink_to(ROOT / name)
    lines = (copy / LISTED).read_text().splitlines(keepends=True)
    kept = [line for line in lines if revision not in line]
    assert len(lines) - len(kept) == 1
    (copy / LISTED).write_text("".join(kept))
    return copy


def run(copy: Path, *arguments: str) -> str:
    """Run tests of the copy, with nothing of the checkout in reach, and return the last words of a run without fault.

    All were collected and have passed, or do not belong to the run: none was skipped.
    """
    path = os.pathsep.join(["layers/core/python", "layers/tools/python", "layers/examples/python", "."])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    ended = re.search(r"^\d+ (passed(, \d+ deselected)?|tests collected) in .*$", done.stdout, re.MULTILINE)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-1000:]
    assert ended is not None, done.stdout[-1000:]
    return ended[0]


@pytest.mark.parametrize("revision", PACKAGES)
def test_nothing_imports_a_revision_but_what_is_its_own(revision: str) -> None:
    imports = re.compile(rf"^\s*(from|import)\s.*\b{revision}\b", re.MULTILINE)
    sources = {path.relative_to(ROOT).as_posix(): path for each in CODE for path in (ROOT / each).rglob("*.py")}
    others = {name: path for name, path in sources.items() if not any(each in name for each in owned(revision))}

    assert len(others) > len(sources) / 2
    assert [name for name, path in others.items() if imports.search(path.read_text())] == []


@pytest.mark.slow
@pytest.mark.parametrize("revision", PACKAGES)
def test_without_a_revision_the_others_and_every_tool_work(tmp_path: Path, revision: str) -> None:
    copy = without(revision, tmp_path)
    others = [f"protocol/{each}" for each in PACKAGES if each != revision]

    print(run(copy, *(f"tests/{name}" for name in (*SAMPLE, *others))))  # noqa: T201


@pytest.mark.slow
@pytest.mark.parametrize("revision", PACKAGES)
def test_without_a_revision_every_other_test_is_there(tmp_path: Path, revision: str) -> None:
    print(run(without(revision, tmp_path), "--collect-only", "-m", "", "tests"))  # noqa: T201


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("revision", PACKAGES)
def test_without_a_revision_everything_else_passes(
    tmp_path: Path, revision: str, part: str, share: tuple[int, int]
) -> None:
    copy, (turns, turn) = without(revision, tmp_path), share

    print(run(copy, *PARTS[part], "--one-in", str(turns), "--turn", str(turn)))  # noqa: T201
