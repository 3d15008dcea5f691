"""The contract of `Executor` on events of Lambda, as far as it differs from that on Step Functions."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.adapters.executor_of_task import ExecutorOfTask
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.limits.waits import MAX_DIRECT_RUNS
from mcp_tasks.ports.executor import Execution
from mcp_tasks.tasks.model import DIRECT_MACHINE, RunLease
from tests.contract.test_executor import Recorder, direct
from tests.kit import ADA, NOON, a_task, tickets


@pytest.mark.parametrize("isolates", [True, False])
def test_an_event_names_the_task_and_its_tenant_where_tenants_are_isolated(isolates: bool) -> None:
    calls, task = Recorder(), a_task(machine="direct")
    replace(direct(calls), isolates_tenants=isolates).start(ADA.owner_key, task, {"name": "Ada"})

    (request,) = calls.requests
    ticket = tickets().for_start(ADA.owner_key, task.id, until=task.expires_at)
    assert json.loads(request.pop("Payload")) == {"ticket": ticket, "task": task.id, "attempt": 1, "broken": "error"}
    tenant = {"TenantId": ADA.tenant_tag} if isolates else {}
    assert request == {"FunctionName": "run_tool", "InvocationType": "Event", **tenant}


@pytest.mark.parametrize(
    ("number", "left", "found"),
    [
        (1, 1, Execution.RUNNING),
        (1, 0, Execution.ABSENT),
        (MAX_DIRECT_RUNS - 1, 0, Execution.ABSENT),
        (MAX_DIRECT_RUNS, 1, Execution.RUNNING),
        (MAX_DIRECT_RUNS, 0, Execution.ENDED),
    ],
)
def test_a_lease_says_whether_the_work_runs(number: int, left: int, found: Execution) -> None:
    lease = RunLease(run="a", number=number, until=NOON + timedelta(seconds=left))

    assert direct(Recorder()).describe(a_task(machine="direct", lease=lease)) is found
    assert direct(Recorder()).describe(a_task(machine="direct")) is Execution.ABSENT


def test_each_task_has_the_executor_of_its_machine() -> None:
    states, events = Recorder(), Recorder()
    machines = StepFunctionsExecutor(client=lambda: states, machines={"run_tool": "arn:x"}, tickets=tickets())
    executor = ExecutorOfTask(machines={DIRECT_MACHINE}, executor=lambda: direct(events), others=machines)
    for machine in ("run_tool", DIRECT_MACHINE):
        executor.start(ADA.owner_key, a_task(machine=machine), {})
        executor.stop(a_task(machine=machine), "cancelled")

    assert (len(states.requests), len(events.requests)) == (2, 1)
