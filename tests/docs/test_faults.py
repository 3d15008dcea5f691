"""The table of faults: each row of operations.md names tests that exist."""

import re

import pytest

from tests.checkout import ROOT

PAGE = (ROOT / "docs/operations.md").read_text()
SECTION = PAGE.partition("\n## Faults\n")[2].partition("\n## ")[0]
ROWS = [line for line in SECTION.splitlines() if line.startswith("| ")][1:]


def test_there_are_faults() -> None:
    assert len(ROWS) >= 12


@pytest.mark.parametrize("row", ROWS)
def test_a_fault_is_tried_by_the_tests_that_its_row_names(row: str) -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", row.rpartition(" | ")[2])

    assert named
    for file, name in named:
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text()
