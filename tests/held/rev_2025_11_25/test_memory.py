"""The function that holds connections has the memory that its largest answer takes."""

import pytest

from tests.held.rev_2025_11_25.memory import BESIDE, memory_of, peak_of, waiting


@pytest.mark.slow
def test_the_largest_results_fit_into_the_memory_of_the_function() -> None:
    with waiting() as found:
        assert peak_of(found) + BESIDE <= memory_of(found.stack)
