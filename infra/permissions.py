"""What each function may do, action by action; a transaction asks for the actions it is made of."""

from collections.abc import Iterable

from infra.functions import Functions
from infra.payloads import Payloads
from infra.task_table import TaskTable

ITEMS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem")
STREAM = ("dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords")
UNKNOWN = "Tasks name them as they come."
LISTING = "Lambda finds the stream by listing those of the table."


def permit(functions: Functions, *, table: TaskTable, payloads: Payloads, machines: Iterable[str]) -> None:
    """Grant all of it; what tools need besides is in `infra/tool_access.py`."""
    machines = list(machines)
    executions = [arn.replace(":stateMachine:", ":execution:") + ":*" for arn in machines]
    serve, wait, sweep = functions.serve_mcp, functions.await_task, functions.sweep
    run, suspend, record, changes = (
        functions.run_tool,
        functions.suspend_task,
        functions.record_outcome,
        functions.on_task_change,
    )

    for function in (serve, wait, run, suspend, record, changes, sweep):
        function.allow(*ITEMS, on=[table.arn])
    for reader in (serve, wait):
        reader.allow("dynamodb:Query", on=[table.arn])
    sweep.allow("dynamodb:Query", on=[table.live_index_arn])
    for follower in (wait, changes):
        follower.allow(*STREAM, on=[table.stream_arn])
    changes.allow("dynamodb:ListStreams", on=[f"{table.arn}/stream/*"], because=LISTING)

    for reader in (wait, sweep, changes):
        reader.allow("s3:GetObject", on=[payloads.objects_arn], because=UNKNOWN)
    for writer in (serve, run, record):
        writer.allow("s3:GetObject", "s3:PutObject", on=[payloads.objects_arn], because=UNKNOWN)

    for starter in (serve, sweep, changes):
        starter.allow("states:StartExecution", on=machines)
        starter.allow("states:StopExecution", on=executions, because=UNKNOWN)
    # IAM's own reference knows no resource for this one; Step Functions goes by the token's machine all the same.
    for waker in (serve, wait, suspend, changes, sweep):
        waker.allow("states:SendTaskSuccess", on=machines)
    sweep.allow("states:DescribeExecution", on=executions, because=UNKNOWN)
