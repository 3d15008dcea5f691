"""The function that holds the GETs of revision 2025-11-25 open."""

from infra.function_code import functions_of_revisions
from tests.infra.assembly import Assembly
from tests.infra.test_functions import function


def test_it_is_deployed_because_the_revision_declares_it() -> None:
    assert "await_task" in functions_of_revisions()


def test_it_has_its_own_concurrency_and_little_memory(prod: Assembly) -> None:
    assert function(prod, "await_task")["ReservedConcurrentExecutions"] == 100
    assert function(prod, "await_task")["MemorySize"] == 128


def test_it_lets_go_before_the_gateway_does(cloud: Assembly) -> None:
    variables = function(cloud, "await_task")["Environment"]["Variables"]

    assert float(variables["MAX_HOLD_SECONDS"]) == 25
    assert variables["STREAM_ARN"] == {"Fn::GetAtt": ["TasksTable", "StreamArn"]}
