"""Tools without a state machine: what may start their runs, and what Lambda does with an event that leads to none."""

import pytest

from infra import no_machine
from infra.tool_checks import refuse_unknown_machines
from mcp_tasks.limits.waits import LONGEST_SWEEP, MAX_EVENT_AGE, UNNOTICED
from mcp_tasks.tasks.model import DIRECT_MACHINE
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.infra.assembly import Assembly
from tests.infra.test_functions import NAMES, function

STARTERS = {"serve_mcp", "on_task_change", "sweep"}


def test_the_name_is_that_of_the_server() -> None:
    assert no_machine.NAME == DIRECT_MACHINE


def test_lambda_repeats_no_run_and_forgets_an_event_by_the_time_a_sweep_sends_another(cloud: Assembly) -> None:
    found = cloud.of("AWS::Lambda::EventInvokeConfig").values()
    (config,) = (each for each in found if each["FunctionName"] == {"Ref": "Functionstools"})

    # A destination of failures would be written to in the role of adopters' code.
    assert set(config) == {"FunctionName", "Qualifier", "MaximumEventAgeInSeconds", "MaximumRetryAttempts"}
    assert "FunctionstoolsLive" in str(config["Qualifier"])
    assert config["MaximumRetryAttempts"] == 0
    assert config["MaximumEventAgeInSeconds"] == MAX_EVENT_AGE.total_seconds() == BETWEEN_SWEEPS.total_seconds()


def test_whoever_starts_tasks_knows_what_runs_tools(cloud: Assembly) -> None:
    variables = {name: function(cloud, name)["Environment"]["Variables"] for name in NAMES}
    knowing = {name for name, each in variables.items() if "TOOLS_FUNCTION" in each}

    assert knowing == {*STARTERS, "run_without_ticket"}
    assert {str(variables[name]["TOOLS_FUNCTION"]) for name in knowing} == {"{'Ref': 'FunctionstoolsLive'}"}


def test_two_runs_that_die_are_noticed_in_the_time_that_a_task_has_for_it() -> None:
    assert 3 * (BETWEEN_SWEEPS + LONGEST_SWEEP) + MAX_EVENT_AGE < UNNOTICED


def test_a_tool_may_name_it_without_a_file() -> None:
    refuse_unknown_machines('{"tools": [{"name": "count", "machine": "direct"}]}', ["run_tool"], "machines")
    with pytest.raises(SystemExit, match=r"'directly'.*: direct, run_tool"):
        refuse_unknown_machines('{"tools": [{"name": "count", "machine": "directly"}]}', ["run_tool"], "machines")
