"""AWS on moto with processes that crash at any call, and others that reconcile what they left behind."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks import tool
from mcp_tasks.adapters.direct import DirectExecutor
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.changes import change_of
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from mcp_tasks.adapters.dynamodb.items import count_in, owner_and_id, primary_key, task_of
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.queue import DynamoQueue
from mcp_tasks.adapters.dynamodb.storage import TableStorage
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.executor_of_task import ExecutorOfTask
from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.adapters.polling import PollingWaiter
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.ports import Ports
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import DIRECT_MACHINE, JSON, Task
from mcp_tasks.tasks.run_lease import is_held, is_spent
from mcp_tasks.tasks.transitions import is_final
from tests.cloud import BUCKET, TABLE, Cloud, scan, stream
from tests.contract.events import Events
from tests.contract.process import Fuse, Process
from tests.kit import FixedClock

ROLE = "arn:aws:iam::123456789012:role/states"
DEFINITION = json.dumps({"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 9, "End": True}}})


@tool(tasks="always", timeout=timedelta(minutes=5))
def repeat(text: str) -> str:
    """Return the text."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsEnvironment:
    """The AWS resources that all processes share."""

    aws: Cloud
    clock: FixedClock
    machine: str
    states: Any
    tool: Tool
    events: Events = field(default_factory=Events)

    @classmethod
    def of(cls, aws: Cloud, clock: FixedClock, tool: Tool = repeat) -> "AwsEnvironment":
        made = aws.states.create_state_machine(name="stage-run_tool", definition=DEFINITION, roleArn=ROLE)
        arn, states = made["stateMachineArn"], aws.states
        return cls(aws=aws, clock=clock, machine=arn, states=states, tool=tool)

    @property
    def is_direct(self) -> bool:
        """Whether the tasks of the tool have no execution."""
        return self.tool.machine == DIRECT_MACHINE

    def process(self, fuse: Fuse | None = None) -> Process:
        """Start a process, with fresh adapters."""
        fuse = fuse or Fuse()
        clients: tuple[Any, ...] = (self.aws.dynamodb, self.aws.s3, self.states, self.events)
        dynamodb, s3, states, events = (fuse.around(client) for client in clients)
        table = Table(client=dynamodb, name=TABLE, clock=self.clock)
        keys = DynamoKeys(table)
        tickets = Tickets(signer=Signer(keys=keys, clock=self.clock))
        machines = StepFunctionsExecutor(client=lambda: states, machines={"run_tool": self.machine}, tickets=tickets)
        direct = DirectExecutor(client=lambda: events, function="run_tool", tickets=tickets, clock=self.clock)
        ports = Ports(
            clock=self.clock,
            tasks=DynamoTaskStore(table=table, payloads=Payloads(client=lambda: s3, bucket=BUCKET)),
            queue=DynamoQueue(table=table),
            backlog=DynamoBacklog(table=table),
            inbox=lambda: DynamoInbox(table=table),
            executor=ExecutorOfTask(machines={DIRECT_MACHINE}, executor=lambda: direct, others=machines),
            waiter=PollingWaiter(clock=self.clock),
            storage=TableStorage(table=table),
            change_feed=DynamoChangeFeed(table=table),
            keys=keys,
            plans=FixedPlans(),
            buckets=DynamoBuckets(table=table),
            held_waits=DynamoHeldWaits(table=table),
        )
        return Process.of(ports, Toolbox([self.tool]))

    # --- what there is

    def stored(self) -> list[tuple[str, Task]]:
        """Return every stored task that is not expired, and its owner key."""
        items = [item for item in scan(self.aws.dynamodb) if item["SK"]["S"].startswith("task#")]
        tasks = [(owner_and_id(item)[0], task_of(item)) for item in items]
        return [(owner_key, task) for owner_key, task in tasks if task.expires_at > self.clock.now()]

    def counted(self) -> int:
        """Return how many tasks the counters count."""
        items = [item for item in scan(self.aws.dynamodb) if item["SK"]["S"].startswith("quota#")]
        return sum(count_in(item, "active") for item in items)

    def executions(self) -> dict[str, str]:
        """Return the status of each execution by its name, or what is in place of one."""
        if self.is_direct:
            return {task.id: self._status(task) for _, task in self.stored()}
        found = self.states.list_executions(stateMachineArn=self.machine)["executions"]
        assert len({execution["name"] for execution in found}) == len(found)
        return {execution["name"]: execution["status"] for execution in found}

    def _status(self, task: Task) -> str:
        now, waits = self.clock.now(), any(event["task"] == task.id for event in self.events.waiting)
        runs = is_held(task, now) or (waits and not is_spent(task, now))
        return "RUNNING" if runs and not is_final(task) else "ENDED"

    def histories(self) -> list[list[Task]]:
        """Return all versions that each task ever had."""
        found: dict[str, list[Task]] = {}
        for name, image in self._written("task#"):
            versions, task = found.setdefault(name, []), task_of(image)
            # Postponing a check changes the item and not the task.
            if not versions or versions[-1] != task:
                versions.append(task)
        return list(found.values())

    def responses(self) -> list[tuple[str, JSON]]:
        """Return the key and the value of every write of a response."""
        return [(name, image.get("json") or image["object"]) for name, image in self._written("reply#")]

    def _written(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for record in stream(self.aws):
            change = record["dynamodb"]
            name = change["Keys"]["SK"]["S"]
            if name.startswith(kind) and "NewImage" in change:
                yield name, change["NewImage"]

    # --- what happens by itself

    def forget(self, task: Task, owner_key: str) -> None:
        """Delete a task's item, as DynamoDB does with an expired one, late."""
        self.aws.dynamodb.delete_item(TableName=TABLE, Key=primary_key(owner_key, "task", task.id))

    def abort(self, task: Task) -> None:
        """Stop an execution by hand, in the console perhaps."""
        self.states.stop_execution(executionArn=self.execution(task.id))

    def execution(self, name: str) -> str:
        """Return the ARN of the execution of that name."""
        return f"{self.machine.replace(':stateMachine:', ':execution:')}:{name}"

    # --- who reconciles

    def deliver_stream(self, process: Process) -> None:
        """Deliver every record of the table's stream about a task to the reconciler."""
        for record in stream(self.aws):
            if record["dynamodb"]["Keys"]["SK"]["S"].startswith("task#"):
                change = change_of(record["dynamodb"])
                process.reconciler.changed(change.owner_key, change.before, change.after)

    def deliver_status_changes(self, process: Process) -> None:
        """Deliver the status change of every execution that has ended; nothing tells of a run that died."""
        if self.is_direct:
            return
        for name, status in self.executions().items():
            if status != "RUNNING":
                described = self.states.describe_execution(executionArn=self.execution(name))
                process.execution_outcomes.ended(json.loads(described["input"])["scope"], name, status)

    def sweep(self, process: Process) -> None:
        """Let a minute pass, and sweep."""
        self.clock.advance(timedelta(minutes=1))
        process.reconciler.sweep(limit=100)

    def work(self, process: Process) -> None:
        """Do the work of every execution that runs, as its machine does, again if need be; or that of every event."""
        for event in self.events.take():
            process.runner.runner.answer(event)
        for name, status in {} if self.is_direct else self.executions().items():
            if status == "RUNNING":
                described = self.states.describe_execution(executionArn=self.execution(name))
                process.runner.run(json.loads(described["input"])["scope"], name)
                self.states.stop_execution(executionArn=self.execution(name))
