"""`docs/conformance.md` says what is so: it is written anew whenever the runner or what is expected of it changes."""

import re
from collections.abc import Sequence

import pytest

from tests.conformance.expected import EXPECTED, FAILURES, SKIPPED, WHOLE
from tests.conformance.report import FILE, Setting, page
from tests.conformance.runner import REVISIONS, Check, Outcome, Scenario, requirements, version

PAGE = FILE.read_text()
SETTING = Setting(date="2026-01-01", runner="0.0", node="v24.0.0", server="a server 1.0")


def rows(text: str, revision: str) -> list[list[str]]:
    """Return the cells of a revision's table of scenarios."""
    (section,) = re.findall(rf"^## {revision}\n\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return [line.strip("| ").split(" | ") for line in section.splitlines()[2:]]


def expected(revision: str, name: str) -> Outcome:
    if any(finding[:2] == (revision, name) for finding in FAILURES):
        return "FAILED"
    return "skipped" if (revision, name, WHOLE) in SKIPPED else "passed"


def passing(revision: str, names: Sequence[str]) -> str:
    return f"{sum(expected(revision, name) == 'passed' for name in names)} of {len(names)}"


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_page_lists_the_scenarios_of_the_pinned_runner(revision: str) -> None:
    listed = {name: scored for name, scored, *_ in rows(PAGE, revision)}

    assert listed == {name: f"no: {why}" if why else "yes" for name, why in requirements(revision).items()}
    assert f"@modelcontextprotocol/conformance {version()} |" in PAGE


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_page_says_of_each_scenario_what_is_expected_of_it_on_both_targets(revision: str) -> None:
    outcomes = {name: [cell.partition(",")[0] for cell in cells] for name, _, *cells in rows(PAGE, revision)}

    assert outcomes == {name: [expected(revision, name)] * 2 for name in requirements(revision)}


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_page_counts_what_is_expected_to_pass(revision: str) -> None:
    required = requirements(revision)
    counted = {
        "scored": passing(revision, [name for name, why in required.items() if why is None]),
        "not scored": passing(revision, [name for name, why in required.items() if why is not None]),
        "all": passing(revision, list(required)),
    }

    for title, count in counted.items():
        assert f"\n| {revision} | {title} | {count} | {count} |\n" in PAGE


def test_the_page_gives_every_reason() -> None:
    assert all(reason in PAGE for findings in EXPECTED.values() for reason in findings.values())


def test_targets_stand_side_by_side() -> None:
    failure, success = Check(id="pong", status="FAILURE"), Check(id="pong", status="SUCCESS")
    ran = {
        target: [
            Scenario(revision="2025-11-25", name="ping", unscored=None, checks=(check, success)),
            Scenario(revision="2025-11-25", name="news", unscored="pending", checks=()),
        ]
        for target, check in [("here", success), ("there", failure)]
    }

    written = page(SETTING, ran)
    assert rows(written, "2025-11-25") == [
        ["ping", "yes", "passed, 2 of 2", "FAILED, 1 of 2"],
        ["news", "no: pending", "skipped", "skipped"],
    ]
    assert "| 2025-11-25 | all | 1 of 2 | 0 of 2 |" in written
