"""The list of mutants that survive: each has a reason, and it is compared with what is found."""

from collections import Counter

import pytest

from tests.checkout import ROOT
from tests.mutation.mutmut import mutant_of
from tests.mutation.survivors import LISTED, Mutant, differences, listed
from tests.mutation.workplace import CORE, NEAR, near

LIST = """\
Nobody sees it:
it is the same.
    tasks/pace.py: backoff
        - return a
        + return b
        - case _:
        +

Only words.
    tasks/errors.py: TooMany.__init__
        - super("x")
        + super("X")
    tasks/errors.py: TooMany.__init__
        - super("x")
        + super("X")
"""
BACKOFF = Mutant("tasks/pace.py", "backoff", "return a", "return b")
CASE = Mutant("tasks/pace.py", "backoff", "case _:", "")
WORDS = Mutant("tasks/errors.py", "TooMany.__init__", 'super("x")', 'super("X")')


def test_each_entry_is_read_with_its_reason() -> None:
    assert list(listed(LIST)) == [
        ("Nobody sees it: it is the same.", BACKOFF),
        ("Nobody sees it: it is the same.", CASE),
        ("Only words.", WORDS),
        ("Only words.", WORDS),
    ]


def test_what_is_printed_of_a_mutant_is_its_entry() -> None:
    assert [each for _, each in listed(f"Why.\n{BACKOFF}\n{CASE}\n{WORDS}\n")] == [BACKOFF, CASE, WORDS]


@pytest.mark.parametrize(
    "text",
    [
        f"{BACKOFF}",  # no reason
        "Why.\n        - a\n        + b",  # no function
        "Why.\n    tasks/pace.py: backoff\n        - a",
        "Why.\n    tasks/pace.py: backoff\n        - a\n        - b",
        "Why.\n    tasks/pace.py backoff\n        - a\n        + b",
    ],
)
def test_what_is_no_entry_with_a_reason_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="belongs to no entry with a reason"):
        list(listed(text))


def test_what_is_not_listed_and_what_is_gone_are_told_of_the_chosen_modules() -> None:
    assert differences(Counter([BACKOFF, CASE, WORDS, WORDS]), LIST, "tasks") == ([], [])
    assert differences(Counter([BACKOFF]), LIST, "tasks/pace.py") == ([], [CASE])
    # Two changes that look alike are two entries.
    assert differences(Counter([BACKOFF, CASE, WORDS]), LIST, "tasks") == ([], [WORDS])
    assert differences(Counter([BACKOFF, BACKOFF, CASE]), LIST, "tasks/pace.py") == ([BACKOFF], [])
    assert differences(Counter([WORDS]), LIST, "engine") == ([WORDS], [])


@pytest.mark.parametrize(
    ("name", "diff", "mutant"),
    [
        (
            "mcp_tasks.tasks.pace.x_backoff__mutmut_4",
            "# name: survived\n--- a\n+++ a\n@@ -1,2 +1,2 @@\n def backoff():\n-    return a\n+    return b",
            BACKOFF,
        ),
        ("mcp_tasks.tasks.pace.x_backoff__mutmut_5", "# n\n--- a\n+++ a\n@@ -1 +0,0 @@\n-        case _:", CASE),
        (
            "mcp_tasks.tasks.errors.xǁTooManyǁ__init____mutmut_1",
            '# n\n--- a\n+++ a\n@@ -1 +1 @@\n-        super(\n-            "x")\n+        super(\n+            "X")',
            Mutant("tasks/errors.py", "TooMany.__init__", 'super( "x")', 'super( "X")'),
        ),
        ("mcp_tasks.tasks.pace.x__of__mutmut_1", "\n@@ \n- a\n+ b", Mutant("tasks/pace.py", "_of", "a", "b")),
    ],
)
def test_a_mutant_is_named_by_what_mutmut_shows_of_it(name: str, diff: str, mutant: Mutant) -> None:
    assert mutant_of(name, diff) == mutant


def test_each_survivor_that_is_listed_has_a_reason_and_is_of_code_that_is_there() -> None:
    found = list(listed(LISTED.read_text()))

    assert found
    for reason, mutant in found:
        assert len(reason.split()) > 3, mutant
        code = " ".join((ROOT / CORE / mutant.module).read_text().split())
        assert " ".join(mutant.before.split()) in code, mutant
        assert f"def {mutant.function.rpartition('.')[2]}(" in code, mutant


def test_the_near_a_module_are_its_own_or_those_of_its_folder() -> None:
    assert near("engine/reconciler.py") == NEAR["engine/reconciler.py"]
    assert near("engine/call_decisions.py") == near("engine") == NEAR["engine"]
    assert near("tasks/pace.py") == NEAR["tasks"]
    assert near("limits/aws.py") == ["tests/unit"]


def test_what_is_run_is_there() -> None:
    assert all((ROOT / each).exists() for tests in NEAR.values() for each in tests)
