"""The simulator itself: a seed repeats its story, and planted bugs are found."""

import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from tests.simulation.__main__ import report
from tests.simulation.planted import PLANTED, Plant
from tests.simulation.story import Violation, kinds, simulate

SEEDS = (*range(8), 153037423, 183277530, 335905291, 491611954, 727118477, 887375669)
"""The first ones, and those that ever failed."""

ENOUGH = 120
"""Stories, within which each planted bug is found."""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_invariants_hold(seed: int) -> None:
    simulate(seed)


def test_a_seed_has_the_same_trace_in_any_process() -> None:
    lines = simulate(2).lines
    assert simulate(2).lines == lines

    command, env = [sys.executable, "-m", "tests.simulation", "--seed", "2"], {**os.environ, "PYTHONHASHSEED": "1"}
    elsewhere = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert elsewhere.stdout.splitlines() == lines


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.bug)
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plant.place, plant.name, plant.make(getattr(plant.place, plant.name)))

    violation = next(each for each in map(violated, range(ENOUGH)) if each is not None)

    assert re.search(plant.found, str(violation.violations))
    assert f"python -m tests.simulation --seed {violation.seed}" in str(violation)
    assert f"VIOLATED: {violation.violations[0]}" in str(violation)


def violated(seed: int) -> Violation | None:
    """Return how a story is violated, if it is."""
    try:
        simulate(seed)
    except Violation as violation:
        return violation
    return None


def test_what_never_happened_is_a_failure() -> None:
    everything = Counter(dict.fromkeys(kinds(), 1))

    assert report(everything) == []
    assert report(everything - Counter({"fault: dies after": 1})) == ["fault: dies after"]
