"""Rules for this repository's tests: none is skipped, and a missing tool is a failure that says what to run."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_tasks.wire.revisions import PACKAGES
from tests.prerequisites import ROOT, TOOLS, missing

SKIPS = {"skip", "skipif", "skipIf", "skipUnless", "importorskip", "SkipTest", "xfail", "collect_ignore"}


def skips(source: str) -> Iterator[str]:
    """Return each name in a module by which a test could be left out."""
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
        if name in SKIPS:
            yield str(name)


@pytest.mark.parametrize(
    "line",
    [
        "pytest.skip('no node')",
        "pytest.importorskip('node')",
        "@pytest.mark.skipif(True, reason='no node')\ndef test_it(): ...",
        "from pytest import skip",
        "raise unittest.SkipTest",
        "collect_ignore = ['clients']",
    ],
)
def test_a_skip_is_found(line: str) -> None:
    assert len(list(skips(line))) == 1


def test_no_test_is_skipped() -> None:
    found = {str(path.relative_to(ROOT)): list(skips(path.read_text())) for path in (ROOT / "tests").rglob("*.py")}

    # No stage on AWS has all settings: `tests/stack/test_live.py` knows what each of these tests says without its own.
    assert {path: names for path, names in found.items() if names} == {"tests/live/deployed.py": ["skip"]}


@pytest.mark.parametrize("place", TOOLS)
def test_a_missing_tool_is_a_failure_that_says_what_to_run(tmp_path: Path, place: str) -> None:
    assert missing(place, tmp_path) == f"This test needs what is not there: run `make {' '.join(TOOLS[place])}`."


def test_a_test_whose_tool_is_missing_fails(tmp_path: Path) -> None:
    (tmp_path / "tests/stack").mkdir(parents=True)
    for name in ("conftest.py", "no_account.py", "prerequisites.py", "sampling.py"):
        (tmp_path / "tests" / name).write_text((ROOT / "tests" / name).read_text())
    (tmp_path / "tests/stack/test_nothing.py").write_text("def test_nothing(): ...")

    path = os.pathsep.join([".", *(str(ROOT / "layers" / layer / "python") for layer in ("core", "tools", "examples"))])
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", ".", "-c", os.devnull]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )

    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert f"run `make {' '.join(TOOLS['tests/stack/'])}`" in done.stdout


def test_what_to_run_is_a_target_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^[A-Z0-9_]+ := (\S+/ready)$", makefile, re.MULTILINE))

    assert {tool for tools in TOOLS.values() for tool in tools} <= targets


def test_every_place_that_needs_tools_is_there() -> None:
    for place in TOOLS:
        path, _, test = place.partition("::")
        # What only the template itself tests is in no project that copier made.
        if place in ("tests/deploys/", "tests/first_day/", "tests/template/") and not (ROOT / "copier.yml").exists():
            continue
        # What belongs to a revision went with it.
        if {*re.findall(r"rev_\d{4}_\d\d_\d\d", path)} - {*PACKAGES}:
            continue
        assert (ROOT / path).exists(), place
        assert not test or f"def {test}" in (ROOT / path).read_text(), place


def test_no_quick_test_needs_a_tool_that_make_test_does_not_make() -> None:
    made = subprocess.run(["make", "-Bn", "test"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    beyond = [place for place, tools in TOOLS.items() if not all(str(Path(tool).parent) in made for tool in tools)]
    paths = {place.partition("::")[0] for place in beyond}
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]

    found = subprocess.run(
        [*collect, *(path for path in paths if (ROOT / path).exists())], cwd=ROOT, capture_output=True, text=True
    )

    assert beyond
    assert found.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), found.stdout
    assert [line for line in found.stdout.splitlines() if line.startswith(tuple(beyond))] == []
