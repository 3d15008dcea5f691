"""Side effects that were lost, and executions stopped by hand: the deployed stack reconciles them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from local.stack import Stack
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.client import FINAL
from tests.kit import FixedClock, IdleExecutor, memory_ports
from tests.protocol.rev_2025_11_25.over_http import Client
from tests.stack.internals import execution, execution_status, function, without_table_stream
from tests.stack.sample_tools import repeat
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def out_of_touch(stack: Stack, clock: Clock) -> TaskService:
    """Return the service on the deployed table, with no way to start or to stop any work."""
    table = Table(client=stack.client("dynamodb"), name=stack.outputs["TableName"], clock=clock)
    payloads = Payloads(client=lambda: stack.client("s3"), bucket=stack.outputs["PayloadBucket"])
    ports = memory_ports(clock, executor=IdleExecutor(down=True))
    return TaskService(ports=replace(ports, tasks=DynamoTaskStore(table=table, payloads=payloads)))


def test_work_that_was_never_started_is_started_by_the_stream(stack: Stack, ada: Client, subject: str) -> None:
    ada_herself = Caller(tenant="acme", subject=subject)
    task = out_of_touch(stack, SystemClock()).start(ada_herself, repeat, {"text": "heard"})
    until(lambda: ada.get_task(task.id).status in FINAL)

    assert ada.outcome(task.id)[0]["result"]["content"][0]["text"] == "heard"


def test_work_that_was_never_stopped_is_stopped_by_the_stream(
    stack: Stack, ada: Client, subject: str, work_folder: WorkFolder
) -> None:
    task_id = ada.start("toil", folder=work_folder.folder)
    work_folder.process()
    out_of_touch(stack, SystemClock()).cancel(Caller(tenant="acme", subject=subject), task_id)

    until(lambda: execution_status(stack, task_id) == "ABORTED")
    until(lambda: work_folder.left() == 1)


def test_work_without_a_stream_record_is_started_by_the_sweep(stack: Stack, ada: Client, subject: str) -> None:
    before = FixedClock(datetime.now(UTC) - timedelta(seconds=90))
    ada_herself = Caller(tenant="acme", subject=subject)
    with without_table_stream(stack):
        task = out_of_touch(stack, before).start(ada_herself, repeat, {"text": "found"})
        unheard = ada.get_task(task.id).status, execution(stack, task.id)
        stack.client("lambda").invoke(FunctionName=function(stack, "sweep"), Payload=b"{}")
        until(lambda: ada.get_task(task.id).status in FINAL)

    assert unheard == ("working", None)
    assert ada.outcome(task.id)[0]["result"]["content"][0]["text"] == "found"


def test_an_execution_that_is_stopped_behind_our_back_fails_its_task(
    stack: Stack, ada: Client, work_folder: WorkFolder
) -> None:
    task_id = ada.start("toil", folder=work_folder.folder)
    work_folder.process()
    found = execution(stack, task_id)
    assert found
    stack.client("stepfunctions").stop_execution(executionArn=found["executionArn"])
    until(lambda: ada.get_task(task_id).status in FINAL)
    task = ada.result("tasks/get", taskId=task_id)

    assert (task["status"], task["statusMessage"]) == ("failed", "The work was stopped.")
    until(lambda: work_folder.left() == 1)
