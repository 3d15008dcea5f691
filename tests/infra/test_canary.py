"""The stage setting `canary`: what CodeDeploy is told, which nothing here runs."""

import re
from typing import Any

import pytest

from infra.server_settings import PACES, ServerSettings
from tests.infra.assembly import UNBUNDLED, Assembly, app, flat, synthesise_once
from tests.infra.test_nag import nag
from tests.infra.test_releases import ALIAS

GROUP = "AWS::CodeDeploy::DeploymentGroup"
PACE = "Linear10PercentEvery1Minute"
OWN_FUNCTION = {"machines_module": "tests.infra.sample_machines", "tools_module": "tests.infra.sample_tools"}


@pytest.fixture(scope="module")
def gradual(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage whose deploys move requests bit by bit, with a state machine that has a function of its own."""
    context = {**UNBUNDLED, **OWN_FUNCTION, "canary": PACE}
    return synthesise_once(tmp_path_factory, "gradual", context, validation=True)


def policies(assembly: Assembly) -> dict[str, dict[str, Any]]:
    """Return how each alias of the server is moved, by its name."""
    aliases = {name: each for name, each in assembly.resources.items() if each["Type"] == ALIAS}
    return {name: each.get("UpdatePolicy", {}) for name, each in aliases.items() if name.startswith("Functions")}


@pytest.mark.parametrize("stage", ["cloud", "prod", "local"])
def test_there_is_none_unless_the_stage_says_so(stage: str, request: pytest.FixtureRequest) -> None:
    assembly: Assembly = request.getfixturevalue(stage)

    assert not [each for each in assembly.resources.values() if "CodeDeploy" in each["Type"]]
    assert set(map(str, policies(assembly).values())) == {"{}"}


def test_the_alias_of_each_function_is_moved_at_the_pace_that_the_stage_names(gradual: Assembly) -> None:
    groups = gradual.of(GROUP)
    named = [each["CodeDeployLambdaAliasUpdate"]["DeploymentGroupName"]["Ref"] for each in policies(gradual).values()]

    assert sorted(named) == sorted(groups)
    assert {each["DeploymentConfigName"] for each in groups.values()} == {f"CodeDeployDefault.Lambda{PACE}"}


def test_alarms_on_failed_runs_and_on_errors_of_the_api_move_it_back(gradual: Assembly) -> None:
    alarms = {name: each for name, each in gradual.of("AWS::CloudWatch::Alarm").items() if name.startswith("Canary")}
    for group in gradual.of(GROUP).values():
        assert {flat(each["Name"]) for each in group["AlarmConfiguration"]["Alarms"]} == {
            f"<{name}>" for name in alarms
        }
        assert group["AlarmConfiguration"]["Enabled"] is True
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]

    watched = {(each["Namespace"], each["MetricName"]) for each in alarms.values()}
    assert watched == {("McpTaskExamples-dev", "failed_runs"), ("AWS/ApiGateway", "5XXError")}
    counted = [each["MetricTransformations"][0] for each in gradual.of("AWS::Logs::MetricFilter").values()]
    made = {(each["MetricNamespace"], each["MetricName"]) for each in counted}
    assert watched - made == {("AWS/ApiGateway", "5XXError")}
    assert {each["TreatMissingData"] for each in alarms.values()} == {"notBreaching"}


def test_it_has_no_finding_that_nobody_acknowledged(gradual: Assembly) -> None:
    assert nag(gradual)["violations"] == []


def test_a_pace_that_codedeploy_has_no_name_for_is_refused() -> None:
    with pytest.raises(ValueError, match=rf"^canary is one of {re.escape(', '.join(PACES))}, not 'slow'$"):
        ServerSettings(canary="slow")


def test_the_stage_local_has_none(tmp_path: Any) -> None:
    done = app(tmp_path, {"local": "1", "canary": PACE})

    assert done.returncode == 1
    assert done.stderr == "The emulator has no CodeDeploy: the stage local has no canary.\n"
