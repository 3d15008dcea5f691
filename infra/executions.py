"""What is behind the API: state machines, the rule for how executions end, the reconciler, and the audit's anchors."""

from collections.abc import Mapping
from typing import Any

from aws_cdk.aws_sqs import IQueue
from constructs import Construct

from .audit import Audit
from .dead_letters import DeadLetters
from .execution_outcomes import ExecutionOutcomes
from .existing_table import TableOfTasks
from .functions import Functions
from .machine_files import Machine
from .machine_names import machine_arns
from .notifications import add_notifications
from .reconciliation import Reconciliation
from .sampling import Sampling
from .server_settings import ServerSettings
from .state_machines import StateMachines
from .tools import Tools


def add_executions(
    server: Construct,
    functions: Functions,
    tools: Tools,
    *,
    name: str,
    machines: Mapping[str, Machine],
    table: TableOfTasks,
    settings: ServerSettings,
    console: str,
    local: bool,
) -> IQueue:
    """Add the state machines to a server, called after its `name`, and what follows its tasks; return dead letters.

    `console` is the address of its page, which people are told of where one of its `tools` asks others.
    """
    if settings.trace_rate:
        # Of requests too: a function goes by what was decided for whoever invokes it.
        Sampling(server, "Sampling", name=name, stage=settings.stage, rate=settings.trace_rate)
    undelivered = DeadLetters(server, "DeadLetters").queue
    # "Work" and "Repairs" as in 0.1: AWS refuses a second machine of a name, and a second mapping of the stream.
    StateMachines(server, "Work", name=name, machines=machines, functions=functions, settings=settings)
    arns = machine_arns(server, name, machines)
    record, changes, sweep = functions.record_outcome, functions.on_task_change, functions.sweep
    ExecutionOutcomes(server, "ExecutionOutcomes", record=record, machines=arns.values(), undelivered=undelivered)
    notifies = add_notifications(functions, tools, server=name, console=console, local=local)
    followed: dict[str, Any] = {"stream_arn": table.stream_arn, "undelivered": undelivered, "notifies": notifies}
    Reconciliation(server, "Repairs", changes=changes, sweep=sweep, **followed)
    Audit(server, "Audit", name=name, functions=functions, table=table)
    return undelivered
