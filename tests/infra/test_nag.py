"""cdk-nag's AWS Solutions rules, which `app.py` runs whenever it synthesises for AWS."""

from typing import Any

from tests.infra.assembly import Assembly


def test_there_is_no_finding_that_nobody_acknowledged(cloud: Assembly) -> None:
    report = nag(cloud)

    assert report["violations"] == []


def test_own_machines_have_no_finding_that_nobody_acknowledged(sampled: Assembly) -> None:
    assert nag(sampled)["violations"] == []


def test_every_acknowledgement_says_why(cloud: Assembly) -> None:
    reasons = {finding["reason"] for finding in nag(cloud)["suppressedViolations"]}

    assert reasons
    assert all(len(reason.split()) >= 5 for reason in reasons), reasons


def test_no_other_check_of_the_template_complains(cloud: Assembly) -> None:
    reports = cloud.read("validation-report.json")["pluginReports"]

    assert [report["pluginName"] for report in reports if report["violations"]] == []


def nag(assembly: Assembly) -> dict[str, Any]:
    """The findings of the rules; an absent report is a failure."""
    reports = assembly.read("validation-report.json")["pluginReports"]
    (report,) = [report for report in reports if report["pluginName"] == "AwsSolutions"]
    return dict(report)
