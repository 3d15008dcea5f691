"""What AWS would bill is what tests/cost/counts.json says; `make cost CHECK=1` counts the rest, too."""

import pytest

from local.emulator import EXAMPLES
from local.stack import running_stack
from tests.cost.counts import differences, read
from tests.cost.rev_2025_11_25_with_rev_2026_07_28.scenarios import Scenarios
from tests.cost.stage import settings_of

NAMES = ("session", "inline call 2026-07-28", "task 1 KB", "task 96 KB", "question")


@pytest.mark.slow
def test_the_committed_counts_are_those_of_the_emulator() -> None:
    committed = read()

    with running_stack(app=EXAMPLES, tools="tests.cost.sample_tools") as stack:
        every = Scenarios.of(stack).all()
        settings, counts = settings_of(stack), {name: every[name]() for name in NAMES}

    assert set(counts) == set(NAMES)
    assert (
        differences(
            {**committed, "counts": {name: committed["counts"][name] for name in NAMES}},
            {"settings": settings, "counts": counts},
        )
        == []
    )
