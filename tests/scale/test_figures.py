"""The figures of crowds that docs/limits.md has are those of the policy that the server has."""

import pytest

from tests.scale.figures import COUNTS, read, simulated


def test_small_crowds_ask_what_is_committed() -> None:
    """`make scale` writes it, for the largest crowds too."""
    found = dict(simulated(COUNTS[:1]))

    assert found == {name: figures for name, figures in read().items() if name in found}


@pytest.mark.slow
def test_the_largest_crowds_ask_what_is_committed() -> None:
    assert dict(simulated()) == dict(read())
