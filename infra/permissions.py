"""What each function may do, action by action; a transaction asks for the actions it is made of."""

from collections.abc import Iterable

from infra.functions import Functions
from infra.payloads import Payloads
from infra.task_table import TaskTable

ITEMS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
STREAM = ("dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords")
UNKNOWN = "Tasks name them as they come."
LISTING = "Lambda finds the stream by listing those of the table."


def permit(functions: Functions, *, table: TaskTable, payloads: Payloads, machines: Iterable[str]) -> None:
    """Grant all of it; what tools need besides is in `infra/tool_access.py`."""
    machines = list(machines)
    executions = [arn.replace(":stateMachine:", ":execution:") + ":*" for arn in machines]
    serve, wait, sweep = functions.serve_mcp, functions.await_task, functions.sweep

    serve.allow(*ITEMS, "dynamodb:DeleteItem", "dynamodb:Query", on=[table.arn])
    wait.allow(*ITEMS, "dynamodb:DeleteItem", on=[table.arn])
    wait.allow(*STREAM, on=[table.stream_arn])
    sweep.allow(*ITEMS, "dynamodb:DeleteItem", on=[table.arn])
    sweep.allow("dynamodb:Query", on=[table.live_index_arn])
    sweep.allow("states:DescribeExecution", on=executions, because=UNKNOWN)
    for worker in (functions.run_tool, functions.record_outcome, functions.on_task_change):
        worker.allow(*ITEMS, on=[table.arn])
    functions.on_task_change.allow(*STREAM, on=[table.stream_arn])
    functions.on_task_change.allow("dynamodb:ListStreams", on=[f"{table.arn}/stream/*"], because=LISTING)

    for reader in (wait, sweep, functions.on_task_change):
        reader.allow("s3:GetObject", on=[payloads.objects_arn], because=UNKNOWN)
    for writer in (serve, functions.run_tool, functions.record_outcome):
        writer.allow("s3:GetObject", "s3:PutObject", on=[payloads.objects_arn], because=UNKNOWN)
    for starter in (serve, sweep, functions.on_task_change):
        starter.allow("states:StartExecution", on=machines)
        starter.allow("states:StopExecution", on=executions, because=UNKNOWN)
