"""Each recipe is a tool and its state machine, short enough to be read at once, and valid where AWS would read it."""

import pytest

from mcp_tasks.features.listing import Features
from tests.infra.assembly import Assembly
from tests.infra.test_nag import nag
from tests.infra.test_state_machines import definition, states, validate
from tests.recipes.conftest import TOOLS_MODULE
from tests.recipes.pages import LONGEST, MACHINES, PAGES, TOOLS, files, names


def test_a_page_has_a_tool_and_the_machine_that_it_names(project: object) -> None:
    named = [(tool.name, tool.machine) for tool in Features.of_module(TOOLS_MODULE).tools]

    assert len(PAGES) == len(named)
    assert named == [(name, name) for name in names(TOOLS)]
    assert names(TOOLS) == names(MACHINES)


def test_a_file_is_short() -> None:
    lines = {block.file: len(block.code.splitlines()) for block in files()}

    assert {file: count for file, count in lines.items() if count > LONGEST} == {}


def test_a_tool_has_a_title_and_truthful_annotations(project: object) -> None:
    for tool in Features.of_module(TOOLS_MODULE).tools:
        assert tool.title
        assert tool.annotations


@pytest.mark.parametrize("name", names(MACHINES))
def test_a_machine_is_valid(cloud: Assembly, name: str) -> None:
    result = validate(definition(cloud, name))

    assert result.returncode == 0, result.stdout + result.stderr


def test_the_query_has_a_guard_and_is_handed_to_the_tool(cloud: Assembly) -> None:
    of = states(definition(cloud, "ask_warehouse"))
    (group,) = cloud.of("AWS::Athena::WorkGroup").values()
    configuration = group["WorkGroupConfiguration"]

    assert of["Query"]["Resource"] == "arn:aws:states:::athena:startQueryExecution.sync"
    assert of["Query"]["Arguments"] == {
        "QueryString": "{% $states.context.Execution.Input.arguments.sql %}",
        "QueryExecutionContext": {"Database": "sales"},
        "WorkGroup": group["Name"],
        "ResultConfiguration": {},
    }
    assert configuration["BytesScannedCutoffPerQuery"] == 10_000_000_000
    assert configuration["EnforceWorkGroupConfiguration"] is True
    assert of["HandOver"]["Assign"] == {"stateInput": "{% $states.input %}"}


def test_the_container_runs_to_its_end_with_the_argument_of_its_tenant(cloud: Assembly) -> None:
    run = states(definition(cloud, "transcode"))["Transcode"]
    (override,) = run["Arguments"]["Overrides"]["ContainerOverrides"]
    source = "$substringBefore($states.context.Execution.Input.scope, '#') & '/' & "

    assert run["Resource"] == "arn:aws:states:::ecs:runTask.sync"
    assert run["Arguments"]["LaunchType"] == "FARGATE"
    assert override["Environment"] == [
        {"Name": "SOURCE", "Value": f"{{% {source}$states.context.Execution.Input.arguments.source %}}"}
    ]


def test_cdk_nag_has_no_finding(cloud: Assembly) -> None:
    assert nag(cloud)["violations"] == []
