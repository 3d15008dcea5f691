"""What a run tells its tool, when its lease is kept, and how a run ends that cannot end as its tool wants."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.engine.built_in_tools import READS, BuiltInTool, FollowTask, built_in_tool, schema
from mcp_tasks.engine.current_call import note_trace, noting
from mcp_tasks.engine.current_run import current_run
from mcp_tasks.engine.runner import CANNOT_SUSPEND, RunInterrupted, Runner
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.ports.run_host import LoadedRun, RunHost, TicketRevoked
from tests.kit import ADA, FixedClock, a_task
from tests.unit.direct import Direct
from tests.unit.jobs import COLOUR, job, service

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = replace(ADA, scopes=frozenset({"a"}), actor={"sub": "agent"})


class Kept:
    """What keeps the lease of a run, and for which."""

    def __init__(self) -> None:
        self.runs: list[LoadedRun] = []
        self.hosts: list[RunHost] = []
        self.now = False

    @contextmanager
    def __call__(self, host: RunHost, run: LoadedRun) -> Iterator[None]:
        self.hosts.append(host)
        self.runs.append(run)
        self.now = True
        yield
        self.now = False


def runner(made: Tool, kept: Kept | None = None) -> Runner:
    return Runner(tools=Toolbox([made]), clock=FixedClock(), keeping=kept or Kept())


def a_host(made: Tool) -> TaskHost:
    """Return the host of a run of a new task of the tool."""
    tasks = service()
    with noting():
        note_trace(TRACE)
        task = tasks.start(CALLER, made, {})
    return TaskHost(tasks=tasks, owner_key=ADA.owner_key, task_id=task.id)


def outcome(host: TaskHost) -> object:
    return host.tasks.ports.tasks.outcome(ADA.owner_key, host.task_id)


def test_a_tool_knows_who_called_which_attempt_it_is_and_what_its_state_was_given() -> None:
    @tool(name="job", description="Look around.")
    def look(context: Context) -> None:
        caller = context.caller
        seen.append((caller.tenant, caller.subject, caller.scopes, caller.actor, context.attempt, context.state_input))
        seen.append(dict(current_run()))

    seen: list[object] = []
    host = a_host(look)
    runner(look).run(host, host.task_id, state_input={"from": "a state"})

    assert seen == [
        ("acme", "ada", CALLER.scopes, CALLER.actor, 1, {"from": "a state"}),
        {"tool": "job", "task": host.task_id, "trace": TRACE},
    ]


# --- leases


def test_the_lease_of_a_run_is_kept_while_its_tool_works() -> None:
    @tool(name="job", description="Look around.")
    def look() -> None:
        seen.append(kept.now)

    made, kept, seen = Direct(), Kept(), list[bool]()
    task = made.start()
    host = made.host("the first")
    runner(look, kept).run(host, task.id)

    assert (seen, kept.now) == ([True], False)
    assert kept.hosts == [host]
    assert [run.attempt for run in kept.runs] == [1]


def test_a_run_that_has_no_lease_keeps_none() -> None:
    host, kept = a_host(job), Kept()
    runner(job, kept).run(host, host.task_id)

    assert kept.runs == []
    assert outcome(host)


# --- ends


@pytest.mark.parametrize("waits", ["sleeps", "asks"])
def test_a_run_without_an_execution_fails_where_it_would_be_suspended(waits: str) -> None:
    @tool(name="job", description="Wait.")
    def wait(context: Context) -> None:
        if waits == "sleeps":
            context.sleep(timedelta(minutes=1))
        context.journal.request_input([COLOUR])

    made = Direct()
    task = made.start()
    assert runner(wait).run(made.host("the first"), task.id) is None

    assert made.tasks.outcome(ADA, task.id) == failure(f"job failed: {CANNOT_SUSPEND}.")
    assert CANNOT_SUSPEND.startswith("with machine='direct' a tool can neither request input nor sleep")


def test_an_end_that_no_task_has_is_a_mistake_of_ours_and_no_outcome() -> None:
    host = a_host(job)
    follows = built_in_tool(
        "job",
        "Follow",
        "Follow another task.",
        BuiltInTool(
            function=lambda caller, arguments: FollowTask(a_task(), timedelta()),
            input_schema=schema({}),
            fit=lambda arguments: True,
            wants="nothing",
        ),
        READS,
    )

    with pytest.raises(RunInterrupted) as interrupted:
        runner(follows).run(host, host.task_id)
    assert "a task ended in FollowTask(" in str(interrupted.value.__cause__)


def test_a_run_whose_ticket_was_retired_says_so_and_is_repeated_with_another(caplog: pytest.LogCaptureFixture) -> None:
    class Retired:
        def load(self) -> LoadedRun:
            raise TicketRevoked

    caplog.set_level("INFO")
    host: Any = Retired()
    with pytest.raises(TicketRevoked):
        runner(job).run(host, "1")

    (record,) = caplog.records
    assert (record.levelname, vars(record)["task"], vars(record)["fallback"]) == ("INFO", "1", "ticket_revoked")
