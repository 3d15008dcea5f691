"""The simulator itself: a seed repeats its story, and planted bugs are found."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from tests.simulation.__main__ import tell
from tests.simulation.kinds import kinds
from tests.simulation.planted import ENOUGH, PLANTED, Plant
from tests.simulation.report import Tally, missing
from tests.simulation.shrink import shrunk
from tests.simulation.story import kept_by, simulate
from tests.simulation.traits import KEPT, MEMORY, RELEASES, TABLE
from tests.simulation.violation import WHOLE, Less, Violation
from tests.slow import one_in

SEEDS = (
    *range(8),
    27,
    398,
    421,
    498,
    850,
    928,
    4052,
    4192,
    4224,
    9057,
    20271,
    20005065,
    153037423,
    183277530,
    335905291,
    491611954,
    727118477,
    887375669,
    700603,
    943456256,
    30,
    67,
    110,
    723060,
    400001402,
    500000124,
    977550146,
    103598520,
    331,
    700000151,
    790692142,
    800000129,
    1200208,
    1001000907,
    1300169,
    1300492,
    1400019,
    230,
    1700227,
    1004000556,
    1006102163,
    9256,
    1007002191,
    1007007608,
    1007016597,
    1007070000,
    81139,
    10103,
    23,
    271,
)
"""The first ones, and those that ever failed."""

SHORT = (
    2000099796,
    2000142270,
    2000148194,
    2000218527,
    2000252588,
    2000423388,
    2000458895,
    2000509049,
    2000871943,
    2000947795,
)
"""Those that failed with six moves."""


ERASED = 108
"""A story in which a tenant is erased, and what erases it is in conflict with others."""


def one_in_three(plants: Iterable[Plant]) -> list[Any]:
    """Return plants as parameters of a test, of which one in three is not slow."""
    return [pytest.param(plant, marks=marks, id=plant.bug) for plant, marks in one_in(3, plants)]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_invariants_hold(seed: int, kept: str) -> None:
    simulate(seed, kept)


@pytest.mark.parametrize("seed", SHORT)
def test_the_invariants_hold_in_a_short_story(seed: int) -> None:
    simulate(seed, less=Less(moves=6))


@pytest.mark.parametrize(("seed", "kept"), [*((2, kept) for kept in KEPT), (ERASED, TABLE)])
def test_a_seed_has_the_same_trace_in_any_process(seed: int, kept: str) -> None:
    lines = simulate(seed, kept).lines
    assert simulate(seed, kept).lines == lines

    command = [sys.executable, "-m", "tests.simulation", "--seed", f"{seed}", "--kept", kept]
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    elsewhere = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert elsewhere.stdout.splitlines() == lines


def test_each_seed_draws_where_its_story_keeps_tasks() -> None:
    drawn = Counter(kept_by(seed) for seed in range(300))

    assert all(drawn[kept] > 50 for kept in KEPT)


@pytest.mark.parametrize("plant", one_in_three(each for each in PLANTED if each.within == ENOUGH))
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    is_found(plant, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("plant", [each for each in PLANTED if each.within > ENOUGH], ids=lambda plant: plant.bug)
def test_a_planted_bug_that_seldom_shows_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    is_found(plant, monkeypatch)


def is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Demand that stories show a planted bug, and that one tells how to repeat it."""
    put(plant, monkeypatch)

    stories = (violated(seed, plant.kept) for seed in range(plant.within))
    violation = next(each for each in stories if each is not None)

    assert re.search(plant.found, str(violation.violations))
    assert f"python -m tests.simulation --seed {violation.seed}" in str(violation)
    assert f"VIOLATED: {violation.violations[0]}" in str(violation)


@pytest.mark.parametrize("plant", PLANTED[:2])
def test_a_violated_story_is_cut_short_and_can_be_repeated(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    put(plant, monkeypatch)
    violation = next(each for seed in range(ENOUGH) if (each := violated(seed, plant.kept)) is not None)

    shorter = shrunk(violation)

    assert (shorter.made, len(shorter.faults)) < (violation.made, len(violation.faults))
    assert shorter.less.options in str(shorter)
    with pytest.raises(Violation) as again:
        simulate(shorter.seed, shorter.kept, shorter.less)
    assert again.value.trace.lines == shorter.trace.lines


@pytest.mark.parametrize("plant", one_in_three(each for each in PLANTED if each.kept == RELEASES))
def test_a_bug_between_two_releases_is_not_found_in_one(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    put(plant, monkeypatch)

    assert [seed for seed in range(10) if violated(seed, TABLE)] == []


def put(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a bug."""
    for place, name, make in plant.changes:
        if isinstance(place, dict):
            monkeypatch.setitem(place, name, make(place[name]))
        else:
            monkeypatch.setattr(place, name, make(getattr(place, name)))


def violated(seed: int, kept: str) -> Violation | None:
    """Return how a story is violated, if it is."""
    try:
        simulate(seed, kept)
    except Violation as violation:
        return violation
    return None


def test_stories_can_be_short() -> None:
    short, whole = tell(range(10), MEMORY, Less(moves=1)), tell(range(10), MEMORY, WHOLE)

    assert isinstance(short, Tally)
    assert isinstance(whole, Tally)
    assert 0 < sum(short.moves) < sum(whole.moves) / 4


def test_what_never_happened_is_a_failure() -> None:
    known = kinds(KEPT)
    everything = Counter(dict.fromkeys(known, 1))

    assert missing(Tally(everything), known) == []
    assert missing(Tally(everything - Counter({"fault: dies after": 1})), known) == ["fault: dies after"]


def test_only_stories_of_one_release_have_to_have_tasks_without_an_execution() -> None:
    known = {kept: {kind.partition(" ")[0] for kind in kinds([kept])} for kept in KEPT}

    assert [kept for kept in KEPT if "lease:" in known[kept]] == [MEMORY, TABLE]
    assert Counter(kinds(KEPT)).most_common(1)[0][1] == 1
