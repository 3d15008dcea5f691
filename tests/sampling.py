"""The samples that CI takes in turns of all that only `make test-all` runs.

Samples take about as long as each other: long tests are dealt out by hand, and the many short ones by their names.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

OF_COPIES: Final = 4
"""How many samples the tests of a copy make, of which it runs one."""

EXAMPLES: Final = "tests/test_without_examples.py::test_what_a_project_makes_is_green"
STACK: Final = "tests/test_without_examples.py::test_the_stack_of_a_project_is_synthesised"
WITHOUT: Final = "tests/test_without_a_revision.py::test_without_a_revision"
PASSES: Final = f"{WITHOUT}_everything_else_passes"
DEPLOYED: Final = "tests/conformance/test_official.py::test_every_scenario_ends_as_expected_on_the_deployed_stack"
MODEL: Final = "tests/model_checking/test_model_checking.py::test"

LONG: Final[Sequence[Sequence[str]]] = (
    (f"{EXAMPLES}[no tool-test]",),
    (f"{EXAMPLES}[one tool-test]",),
    (
        f"{PASSES}[rev_2025_11_25-quick]",
        f"{WITHOUT}_every_other_test_is_there[rev_2025_11_25]",
        f"{MODEL}_in_every_state_of_two_tasks",
    ),
    (
        f"{PASSES}[rev_2026_07_28-quick]",
        f"{WITHOUT}_every_other_test_is_there[rev_2026_07_28]",
        f"{MODEL}_the_code_makes_all_moves",
    ),
    (f"{PASSES}[rev_2025_11_25-served]", f"{STACK}[no tool]", "tests/first_day/"),
    (f"{PASSES}[rev_2026_07_28-served]", f"{STACK}[one tool]", "tests/soak/", "tests/year/"),
    (
        f"{PASSES}[rev_2025_11_25-clients]",
        f"{WITHOUT}_the_others_and_every_tool_work[rev_2025_11_25]",
        f"{DEPLOYED}[2025-11-25]",
        "tests/package/",
    ),
    (
        f"{PASSES}[rev_2026_07_28-clients]",
        f"{WITHOUT}_the_others_and_every_tool_work[rev_2026_07_28]",
        f"{DEPLOYED}[2026-07-28]",
        "tests/template/",
    ),
    (f"{EXAMPLES}[no tool-lint]", f"{EXAMPLES}[no tool-demo]", "tests/deploys/"),
    (f"{EXAMPLES}[one tool-lint]", f"{EXAMPLES}[one tool-demo]", "tests/stack/test_live.py"),
)
"""How the ids of long tests begin, and of short ones that share a stack, by the turn that runs them."""


def turn_of(test: str, turns: int, long: Sequence[Sequence[str]] = LONG) -> int:
    """Return the turn of a test, which depends on its id alone: other tests come and go."""
    dealt = (row for row, tests in enumerate(long) if test.startswith(tuple(tests)))
    return next(dealt, crc32(test.encode())) % turns
