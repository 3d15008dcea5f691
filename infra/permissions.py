"""What each function may do, action by action; a DynamoDB transaction needs the permissions of its own actions."""

from collections.abc import Iterable

from .existing_table import TableOfTasks
from .functions import Functions
from .invocations import permit_invocations
from .payloads import PayloadBucket
from .start_by_events import starters
from .table_access import (
    ALL_BUT_AUDIT,
    ALL_BUT_BOTH,
    ALL_BUT_KEYS_AND_AUDIT,
    ALL_BUT_PLANS,
    KEYS_ALONE,
    READING,
    WRITING,
    allow_items,
)

STREAM = ("dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords")
UNKNOWN = "The names contain the ids of tasks, which are not known at deployment."
LISTING = "An event source mapping lists the streams of the table, whose names contain a time."


def permit(functions: Functions, *, table: TableOfTasks, payloads: PayloadBucket, machines: Iterable[str]) -> None:
    """Grant every function its permissions; those of the tools' own code are in `infra/tool_access.py`."""
    machines = list(machines)
    executions = [arn.replace(":stateMachine:", ":execution:") + ":*" for arn in machines]
    serve, sweep = functions.serve_mcp, functions.sweep
    wait = [functions.await_task] if functions.await_task else []
    host, suspend, record, changes = (
        functions.host_run,
        functions.suspend_task,
        functions.record_outcome,
        functions.on_task_change,
    )

    permit_invocations(functions)
    allow_items(table, [functions.run_without_ticket], ("dynamodb:GetItem", "dynamodb:PutItem"), when=KEYS_ALONE)
    allow_items(table, [functions.authorize], READING, when=KEYS_ALONE)
    for actions, when in (((*READING, "dynamodb:Query"), ALL_BUT_AUDIT), (WRITING, ALL_BUT_PLANS)):
        allow_items(table, [serve, *wait, host, changes, sweep], actions, when=when)
    # They record what happened to tasks, and sign nothing; how large an outcome may be is in the plan.
    allow_items(table, [suspend, record, functions.report_progress], (*READING, *WRITING), when=ALL_BUT_BOTH)
    allow_items(table, [record], READING, when=ALL_BUT_KEYS_AND_AUDIT)
    sweep.allow("dynamodb:Query", on=[table.live_index_arn])
    for follower in (*wait, changes):
        follower.allow(*STREAM, on=[table.stream_arn])
    changes.allow("dynamodb:ListStreams", on=[f"{table.arn}/stream/*"], because=LISTING)

    for reader in (*wait, sweep, changes):
        reader.allow("s3:GetObject", on=[payloads.objects_arn], because=UNKNOWN)
    for writer in (serve, host, record):
        writer.allow("s3:GetObject", "s3:PutObject", on=[payloads.objects_arn], because=UNKNOWN)

    for starter in starters(functions):
        starter.allow("states:StartExecution", on=machines)
        starter.allow("states:StopExecution", on=executions, because=UNKNOWN)
    # IAM's reference lists no resource type for this action, but Step Functions checks the token's state machine.
    for waker in (serve, suspend, changes, sweep):
        waker.allow("states:SendTaskSuccess", on=machines)
    sweep.allow("states:DescribeExecution", on=executions, because=UNKNOWN)
    sweep.allow("states:ListExecutions", on=machines)
