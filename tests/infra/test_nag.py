"""cdk-nag's AWS Solutions rules, which `app.py` runs whenever it synthesises for AWS."""

import json
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack, Validations
from cdk_nag import AwsSolutionsChecks

from infra.settings import StageSettings
from infra.stack import TaskServerStack
from tests.docs.blocks import ROOT, blocks_of
from tests.infra.assembly import OWN_STAGE, UNBUNDLED, Assembly
from tests.infra.test_server import add


def test_there_is_no_finding_that_nobody_acknowledged(cloud: Assembly) -> None:
    report = nag(cloud)

    assert report["violations"] == []


def test_the_app_in_the_root_has_no_finding_that_nobody_acknowledged(own: Assembly) -> None:
    assert nag(own)["violations"] == []


@pytest.mark.slow
def test_own_machines_have_no_finding_that_nobody_acknowledged(checked_samples: Assembly) -> None:
    assert nag(checked_samples)["violations"] == []


WILDCARDS = """
from aws_cdk.aws_stepfunctions_tasks import CallAwsService

def work(scope, functions):
    lists = functions.function(scope, "Lists", handler="tools.lists.handler")
    lists.allow("s3:ListAllMyBuckets", on=["*"])
    return CallAwsService(scope, "List", service="s3", action="listBuckets", iam_resources=["*"])
"""


def test_a_wildcard_of_an_own_machine_or_function_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though CDK permits tracing on the same one, in the same policies."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "wildcards").mkdir()
    (tmp_path / "wildcards" / "lists.py").write_text(WILDCARDS)
    app = App(context=dict(UNBUNDLED), outdir=str(tmp_path / "out"))
    Validations.of(app).add_plugins(AwsSolutionsChecks())
    add(Stack(app, "Shop"), machines="wildcards")

    with pytest.raises(RuntimeError) as found:
        app.synth()
    assert str(found.value).count("IAM5[Resource::*]") == 2
    for role in ("ListsRole", "Machine/Role"):
        assert f"Shop/Tasks/Work/lists/{role}/DefaultPolicy" in str(found.value)


def test_every_acknowledgement_says_why(cloud: Assembly) -> None:
    reasons = {finding["reason"] for finding in nag(cloud)["suppressedViolations"]}

    assert reasons
    assert all(len(reason.split()) >= 5 for reason in reasons), reasons


def test_no_other_check_of_the_template_complains(cloud: Assembly) -> None:
    reports = cloud.read("validation-report.json")["pluginReports"]

    assert [report["pluginName"] for report in reports if report["violations"]] == []


@pytest.mark.parametrize(
    ("page", "has"), [("deploy.md", "tools.thumbnails.make"), ("tools.md", "${aws:PrincipalTag/tenant}")]
)
def test_the_tool_access_of_the_documents_has_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, has: str
) -> None:
    text = (ROOT / "docs" / page).read_text()
    (code,) = (block.code for block in blocks_of(text, page) if block.file == "infra/tool_access.py")
    defined: dict[str, Any] = {}
    exec(code, defined)
    monkeypatch.setattr("infra.stack.ToolAccess", defined["ToolAccess"])

    cdk = json.loads((ROOT / "cdk.json").read_text())["context"]
    app = App(context={**cdk, **OWN_STAGE}, outdir=str(tmp_path))
    Validations.of(app).add_plugins(AwsSolutionsChecks())
    settings = StageSettings.from_context(app.node)
    stack = TaskServerStack(app, "Documented", settings=settings)
    app.synth()
    assembly = Assembly(folder=tmp_path, name=stack.stack_name)

    assert has in str(assembly.resources)
    assert nag(assembly)["violations"] == []


def nag(assembly: Assembly) -> dict[str, Any]:
    """The findings of the rules; an absent report is a failure."""
    reports = assembly.read("validation-report.json")["pluginReports"]
    (report,) = [report for report in reports if report["pluginName"] == "AwsSolutions"]
    return dict(report)
