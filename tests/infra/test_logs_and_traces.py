"""What a stage logs and traces, which it pays for by the GB and by the trace."""

from typing import Any

import pytest

from infra.server_settings import ServerSettings
from tests.infra.assembly import UNBUNDLED, Assembly, flat, synthesise_once
from tests.infra.test_nag import nag

RULE = "AWS::XRay::SamplingRule"
MUCH = {"platform_log_level": "INFO", "execution_log_level": "ALL", "trace_rate": "0.01"}
NOTHING = {"execution_log_level": "OFF", "trace_rate": "0"}


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage that logs all that it can, and traces a hundredth."""
    return synthesise_once(tmp_path_factory, "much", {**UNBUNDLED, **MUCH})


@pytest.fixture(scope="module")
def untraced(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage without traces and without logs of executions."""
    return synthesise_once(tmp_path_factory, "untraced", {**UNBUNDLED, **NOTHING}, validation=True)


def machines(assembly: Assembly) -> list[dict[str, Any]]:
    return list(assembly.of("AWS::StepFunctions::StateMachine").values())


def platform_levels(assembly: Assembly) -> set[str]:
    """Return the levels of Lambda's own records, of the functions of the server."""
    functions = assembly.of("AWS::Lambda::Function")
    return {each["LoggingConfig"]["SystemLogLevel"] for name, each in functions.items() if name.startswith("Functions")}


def execution_levels(assembly: Assembly) -> set[tuple[str, bool]]:
    logged = [each["LoggingConfiguration"] for each in machines(assembly)]
    return {(each["Level"], each["IncludeExecutionData"]) for each in logged}


def traced(assembly: Assembly) -> set[object]:
    """Return whether API, functions and state machines are traced."""
    (stage,) = assembly.of("AWS::ApiGateway::Stage").values()
    functions = assembly.of("AWS::Lambda::Function")
    modes = [
        each.get("TracingConfig", {}).get("Mode") for name, each in functions.items() if name.startswith("Functions")
    ]
    enabled = [each["TracingConfiguration"]["Enabled"] for each in machines(assembly)]
    return {stage["TracingEnabled"], *enabled, *(mode == "Active" for mode in modes)}


@pytest.mark.parametrize("stage", ["cloud", "prod"])
def test_what_goes_well_is_logged_by_code_alone(stage: str, request: pytest.FixtureRequest) -> None:
    assembly: Assembly = request.getfixturevalue(stage)

    assert platform_levels(assembly) == {"WARN"}
    assert execution_levels(assembly) == {("ERROR", False)}


def test_a_stage_may_have_more_logged_but_no_payloads(much: Assembly) -> None:
    assert platform_levels(much) == {"INFO"}
    assert execution_levels(much) == {("ALL", False)}


def test_traces_are_sampled_by_the_accounts_rule_unless_the_stage_has_a_rate(cloud: Assembly, much: Assembly) -> None:
    assert traced(cloud) == traced(much) == {True}
    assert cloud.of(RULE) == {}

    rules = [each["SamplingRule"] for each in much.of(RULE).values()]
    assert {(flat(rule["ServiceName"]), rule["ServiceType"]) for rule in rules} == {
        ("McpTaskExamples-dev/dev", "AWS::ApiGateway::Stage"),
        ("McpTaskExamples-dev-*", "AWS::StepFunctions::StateMachine"),
    }
    assert {(rule["FixedRate"], rule["ReservoirSize"]) for rule in rules} == {(0.01, 1)}
    assert len({rule["RuleName"] for rule in rules}) == 2
    assert all(len(rule["RuleName"]) <= 32 for rule in rules)


def test_a_stage_may_trace_nothing(untraced: Assembly) -> None:
    assert traced(untraced) == {False}
    assert untraced.of(RULE) == {}
    assert execution_levels(untraced) == {("OFF", False)}
    assert nag(untraced)["violations"] == []


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("platform_log_level", "ERROR", "platform_log_level is one of DEBUG, INFO, WARN, not 'ERROR'"),
        ("execution_log_level", "error", "execution_log_level is one of ALL, ERROR, FATAL, OFF, not 'error'"),
        ("trace_rate", 5, "trace_rate is a number from 0 to 1, such as 0.01, not 5"),
        ("trace_rate", True, "trace_rate is a number from 0 to 1, such as 0.01, not True"),
    ],
)
def test_other_values_are_refused_in_words(setting: str, value: Any, said: str) -> None:
    values: dict[str, Any] = {setting: value}
    with pytest.raises(ValueError, match=said):
        ServerSettings(**values)
