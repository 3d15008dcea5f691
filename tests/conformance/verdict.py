"""Compares the runner's findings with the expected ones."""

from collections.abc import Iterator, Mapping, Sequence

from tests.conformance.expected import EXPECTED, WHOLE, Finding
from tests.conformance.runner import Scenario, Status

Expected = Mapping[Status, Mapping[Finding, str]]


def surprises(scenario: Scenario, expected: Expected = EXPECTED) -> list[str]:
    """Return a sentence for whatever was found and not expected in a scenario, or expected and not found."""
    return [line for status in expected for line in _surprises(scenario, status, expected[status])]


def judge(ran: Sequence[Scenario], expected: Expected = EXPECTED) -> list[str]:
    """Return all that is surprising in all that ran of a revision or more."""
    return [*(line for scenario in ran for line in surprises(scenario, expected)), *unknown(ran, expected)]


def unknown(ran: Sequence[Scenario], expected: Expected = EXPECTED) -> list[str]:
    """Return a sentence for whatever is expected of scenarios that the runner does not have."""
    names = {(scenario.revision, scenario.name) for scenario in ran}
    revisions = {scenario.revision for scenario in ran}
    return [
        f"{revision} {name}: expected.py has something to say about {check}, but there is no such scenario"
        for findings in expected.values()
        for revision, name, check in findings
        if revision in revisions and (revision, name) not in names
    ]


def _surprises(scenario: Scenario, status: Status, expected: Mapping[Finding, str]) -> Iterator[str]:
    place = f"{scenario.revision} {scenario.name}"
    here = {check for revision, name, check in expected if (revision, name) == (scenario.revision, scenario.name)}
    found = _found(scenario, status)
    for check in sorted(found.keys() - here):
        yield f"{place}: {status} of {check}, which nothing in expected.py explains: {found[check]}"
    for check in sorted(here - found.keys()):
        yield f"{place}: no {status} of {check}, although expected.py explains one: remove it there"


def _found(scenario: Scenario, status: Status) -> dict[str, str]:
    found = {check.id: check.message for check in scenario.all(status)}
    if status == "SKIPPED" and scenario.outcome == "skipped":
        return {WHOLE: "; ".join(found.values()) or "nothing was checked"}
    return found
