"""Ten samples are all of what `make test` leaves to `make test-all`, each test in one of them."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mcp_tasks.wire.revisions import PACKAGES
from tests.sampling import LONG, turn_of

ROOT = Path(__file__).parents[1]
SLOW = ("-m", "slow", "tests/contract/test_races_approvals.py")


def collected(*arguments: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def made(target: str) -> list[str]:
    """Return the runs of tests that a target of make starts, without the options that differ."""
    # Command-line variables of a make that this one runs in would choose other options.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "ONE_IN", "TURN")}
    command = ["make", "-n", target, "TURN=7"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    runs = [line for line in said.splitlines() if line.startswith("python -m pytest")]
    return [re.sub(r' (-m "[^"]*"|--one-in 10|--turn 7)(?= |$)', "", line) for line in runs]


def test_as_many_successive_turns_as_samples_run_each_test_once() -> None:
    runs = [collected("--one-in", "2", "--turn", str(turn), *SLOW) for turn in (1299, 1300)]

    assert all(runs)
    assert Counter(each for run in runs for each in run) == Counter(collected(*SLOW))


def test_the_sample_is_taken_of_every_run_of_all_tests() -> None:
    assert made("sample") == made("test-all")
    assert len(made("sample")) == 3


@pytest.mark.parametrize(("turns", "turn"), [(10, 3), (2, 1), (1, 0)])
def test_a_long_test_is_run_in_the_turn_of_its_row(turns: int, turn: int) -> None:
    long = [[], [], ["tests/slower"], ["tests/b.py::test[1]", "tests/slow/"]]
    assert turn_of("tests/slow/test_a.py::test_a", turns, long) == turn


def test_there_is_a_row_for_each_of_ten_turns_and_every_long_test_is_there() -> None:
    listed = [each for row in LONG for each in row if not of_another_project(each)]
    files = {each.partition("::")[0] for each in listed}
    tests = collected("-m", "slow or clients", *files)

    assert len(LONG) == 10
    assert [each for each in listed if not any(test.startswith(each) for test in tests)] == []


def of_another_project(long: str) -> bool:
    """Return whether a test is of a revision that was deleted, or of what only the template has, and this is none."""
    revisions = {f"rev_{each.replace('-', '_')}" for each in re.findall(r"\d{4}.\d\d.\d\d", long)}
    of_template = long.startswith(("tests/deploys/", "tests/first_day/", "tests/template/"))
    return bool(revisions - {*PACKAGES}) or (of_template and not (ROOT / "copier.yml").exists())
