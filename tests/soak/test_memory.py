"""What is said of the memory of a process: how it grows once it is warm."""

import os

from tests.soak.memory import EVERY, LEAST, WARM, growth, resident


def samples(minutes: float, *, at_first: float, mb_per_hour: float) -> list[tuple[float, float]]:
    """A process that imports for half a minute, and has `mb_per_hour` more from then on."""
    times = [number * EVERY for number in range(int(minutes * 60 / EVERY) + 1)]
    return [(at, at_first * min(1, at / 30) + mb_per_hour * at / 3600) for at in times]


def test_a_process_that_grows_is_told_by_how_much_an_hour() -> None:
    found = growth("serve_mcp", samples(20, at_first=80, mb_per_hour=30))

    assert found is not None
    assert round(found.slope, 3) == 30
    assert round(found.minutes, 3) == 19
    assert round(found.last - found.first, 3) == 9.5


def test_one_that_is_flat_once_it_has_begun_does_not_grow() -> None:
    found = growth("serve_mcp", samples(20, at_first=80, mb_per_hour=0))

    assert found is not None
    assert (found.slope, found.first, found.last) == (0, 80, 80)


def test_nothing_is_said_of_one_that_did_not_live_long() -> None:
    assert growth("serve_mcp", samples((WARM + LEAST) / 60 - 1, at_first=80, mb_per_hour=30)) is None


def test_the_memory_of_this_process_is_some_megabytes_and_that_of_none_is_none() -> None:
    mine = resident(os.getpid())

    assert mine is not None
    assert 10 < mine < 10_000
    assert resident(2**30) is None
