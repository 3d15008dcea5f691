"""The addresses in the AWS console that operators are led to for a task."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from mcp_tasks.adapters.aws_console import AwsConsole
from mcp_tasks.tasks.model import DIRECT_MACHINE, OutcomeKind, State
from tests.kit import NOON, a_task

ARN = "arn:aws:states:eu-west-1:111122223333:stateMachine:tasks-run_tool"
GROUPS = ("Tasks-serve_mcp", "/aws/lambda/run")
CONSOLE = AwsConsole(machines={"run_tool": ARN}, log_groups=GROUPS)
NOW = NOON + timedelta(hours=2)


def query(address: str) -> str:
    """Return the query that the console of CloudWatch Logs Insights reads from an address."""
    (found,) = re.findall(r"editorString~'([^~]*)~", address)
    return re.sub(r"\*([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), found)


def test_the_execution_is_that_of_the_task_by_its_name() -> None:
    task = a_task()

    found = CONSOLE.of(task, now=NOW)

    execution = ARN.replace(":stateMachine:", ":execution:")
    assert found["Execution"] == (
        "https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1"
        f"#/v2/executions/details/{execution}:{task.id}"
    )


def test_the_logs_are_asked_for_the_task_and_its_trace() -> None:
    task = a_task(trace="4bf92f3577b34da6a3ce929d0e0e4736")

    address = CONSOLE.of(task, now=NOW)["Logs"]

    assert address.startswith(
        "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1"
        "#logsV2:logs-insights$3FqueryDetail$3D~(end~'2026-01-01T14*3a10*3a00.000Z~start~'2026-01-01T11*3a50*3a00.000Z"
        "~timeType~'ABSOLUTE~tz~'UTC~editorString~'fields*20*40timestamp*2c"
    )
    assert address.endswith("~source~(~'Tasks-serve_mcp~'*2faws*2flambda*2frun))")
    assert f'filter task = "{task.id}" or trace = "{task.trace}" |' in query(address)


def test_of_a_task_that_has_ended_nothing_later_is_asked_for() -> None:
    ended = a_task(state=State.FINISHED, outcome_kind=OutcomeKind.RETURNED)

    assert "end~'2026-01-01T12*3a10*3a00.000Z~" in CONSOLE.of(ended, now=NOW)["Logs"]


def test_a_task_without_a_state_machine_has_no_execution() -> None:
    assert CONSOLE.of(a_task(machine=DIRECT_MACHINE), now=NOW).keys() == {"Logs"}


@pytest.mark.parametrize(
    ("partition", "host"),
    [("aws-cn", "console.amazonaws.cn"), ("aws-us-gov", "console.amazonaws-us-gov.com")],
)
def test_other_partitions_have_their_own_console(partition: str, host: str) -> None:
    console = AwsConsole(machines={"run_tool": ARN.replace(":aws:", f":{partition}:")}, log_groups=GROUPS)

    assert {urlsplit(each).hostname for each in console.of(a_task(), now=NOW).values()} == {f"eu-west-1.{host}"}


@pytest.mark.parametrize("trace", ['x" or 1 = 1 | "', "a'b~c)", "", "\u00fc", "a b", None])
def test_a_trace_that_is_no_id_is_in_no_query(trace: str | None) -> None:
    address = CONSOLE.of(a_task(trace=trace), now=NOW)["Logs"]

    assert "trace" not in query(address)
    assert re.fullmatch(r"[!-~]+", address)
