"""When `make conformance` fails."""

import pytest

from tests.conformance.runner import Check, Scenario, Status
from tests.conformance.verdict import Expected, judge

NOTHING: Expected = {"FAILURE": {}, "WARNING": {}, "SKIPPED": {}}
GOOD = Check(id="pong", status="SUCCESS")
SCHEMA = Check(id="wire-schema-valid", status="SUCCESS")


def ping(*checks: Check) -> Scenario:
    return Scenario(revision="2025-11-25", name="ping", unscored=None, checks=checks)


def expecting(status: Status, check: str, scenario: str = "ping") -> Expected:
    return {**NOTHING, status: {("2025-11-25", scenario, check): "for a reason"}}


def test_what_succeeds_is_no_surprise() -> None:
    scenario = ping(GOOD, SCHEMA, Check(id="aside", status="INFO", message="by the way"))

    assert scenario.outcome == "passed"
    assert judge([scenario], NOTHING) == []


@pytest.mark.parametrize("status", ["FAILURE", "WARNING", "SKIPPED"])
def test_what_nothing_explains_is_a_surprise_and_what_is_explained_is_none(status: Status) -> None:
    scenario = ping(GOOD, Check(id="late", status=status, message="too late"))

    assert judge([scenario], NOTHING) == [
        f"2025-11-25 ping: {status} of late, which nothing in expected.py explains: too late"
    ]
    assert judge([scenario], expecting(status, "late")) == []


@pytest.mark.parametrize("status", ["FAILURE", "WARNING", "SKIPPED"])
def test_what_is_explained_and_does_not_happen_is_a_surprise(status: Status) -> None:
    assert judge([ping(GOOD)], expecting(status, "pong")) == [
        f"2025-11-25 ping: no {status} of pong, although expected.py explains one: remove it there"
    ]


def test_a_scenario_that_fails_otherwise_than_expected_is_two_surprises() -> None:
    scenario = ping(Check(id="refused", status="FAILURE", message="connection refused"))

    assert scenario.outcome == "FAILED"
    assert len(judge([scenario], expecting("FAILURE", "pong"))) == 2


def test_an_explanation_holds_for_one_revision() -> None:
    elsewhere: Expected = {**NOTHING, "FAILURE": {("2026-07-28", "ping", "pong"): "for a reason"}}

    assert len(judge([ping(Check(id="pong", status="FAILURE"))], elsewhere)) == 1


@pytest.mark.parametrize(
    "checks",
    [
        (),
        (SCHEMA,),
        (Check(id="aside", status="INFO"),),
        (Check(id="pong", status="SKIPPED"), Check(id="again", status="SKIPPED")),
    ],
)
def test_a_scenario_that_checked_nothing_has_not_passed(checks: tuple[Check, ...]) -> None:
    scenario = ping(*checks)

    assert scenario.outcome == "skipped"
    assert len(judge([scenario], NOTHING)) == 1
    assert judge([scenario], expecting("SKIPPED", "*")) == []


def test_a_scenario_that_is_warned_of_has_passed() -> None:
    assert ping(Check(id="pong", status="WARNING")).outcome == "passed"


def test_an_explanation_of_a_scenario_that_there_is_not_is_a_surprise() -> None:
    assert judge([ping(GOOD)], expecting("FAILURE", "pong", scenario="pink")) == [
        "2025-11-25 pink: expected.py has something to say about pong, but there is no such scenario"
    ]
