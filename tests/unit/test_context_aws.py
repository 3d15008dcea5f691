"""`context.aws`: a client with the credentials that the host of the run gives, in runs of tasks alone."""

from dataclasses import replace

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.tool_run import ContinuesAsTask, run_tool
from mcp_tasks.features.results import failure
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Outcome
from tests.kit import ADA, EVE, FixedClock, memory_ports
from tests.unit.tool_run import ToolRun, in_process_runner, text

REGION = "eu-west-1"


class Sessions:
    """A session for each tenant, counted."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def credentials(self, caller: Caller) -> Credentials:
        self.begun.append(caller.tenant)
        return Credentials(access_key=f"key of {caller.tenant}", secret_key="secret", session_token="token")


@tool(name="job")
def job(context: Context) -> str:
    """Say by whose credentials two clients act."""
    clients = [context.aws(service, region_name=REGION) for service in ("s3", "dynamodb")]
    keys = {client._request_signer._credentials.access_key for client in clients}
    tokens = {client._request_signer._credentials.token for client in clients}
    return " ".join([*keys, *tokens])


def ran(caller: Caller, sessions: Sessions | None) -> Outcome:
    """Run the tool as a task."""
    tasks = TaskService(ports=replace(memory_ports(clock := FixedClock()), tenant_access=sessions))
    made = ToolRun(
        clock=clock, tasks=tasks, runner=in_process_runner(tasks, job), task=tasks.start(caller, job, {}), caller=caller
    )
    return made.run()


@pytest.mark.parametrize("caller", [ADA, EVE], ids=str)
def test_a_client_acts_for_the_tenant_of_the_task(caller: Caller) -> None:
    sessions = Sessions()

    assert ran(caller, sessions) == text(f"key of {caller.tenant} token")
    # Both clients of the run, with one request to the host.
    assert sessions.begun == [caller.tenant]


def test_a_server_that_grants_nothing_says_where_to_grant_it() -> None:
    outcome = ran(ADA, None)

    assert "run_tool.per_tenant.allow(...)" in str(outcome)
    assert "infra/tool_access.py" in str(outcome)


def test_a_call_that_may_become_a_task_becomes_one() -> None:
    context = Context(caller=ADA, journal=InlineJournal(may_become_task=True))

    assert run_tool(job, {}, context) == ContinuesAsTask()


def test_a_call_that_is_never_a_task_is_told_so() -> None:
    context = Context(caller=ADA, journal=InlineJournal())

    assert run_tool(job, {}, context) == failure(
        "job failed: RuntimeError: only a task has credentials of its tenant, "
        "and this call cannot become one: the tool needs tasks='allowed'"
    )
