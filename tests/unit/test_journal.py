"""Errors between a run and its task are not the tool's; and the capabilities that a journal has."""

from dataclasses import replace

import pytest

from mcp_tasks import Context, MissingCapability, tool
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.engine.journal import TaskJournal
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.features.results import failure
from mcp_tasks.ports.run_host import LoadedRun
from mcp_tasks.tasks.model import JSON, InputResponse, State, Task
from tests.kit import ADA, BOB, EVE, FixedClock, memory_ports
from tests.unit.contexts import Name
from tests.unit.jobs import BLUE, COLOUR, ERROR_RESPONSE, RED, ROOTS, SIZE
from tests.unit.one_task import OneTask, suspended
from tests.unit.tool_run import in_process_runner, text, tool_run


class Outage(Exception):
    """What a client library raises when AWS does not answer."""


class Moody(MemoryTaskStore):
    """A store that fails while it is `down`."""

    down = False

    def read(self, owner_key: str, task_id: str) -> Task:
        if self.down:
            raise Outage
        return super().read(owner_key, task_id)

    def recall(self, owner_key: str, task_id: str, step: str) -> tuple[JSON] | None:
        if self.down:
            raise Outage
        return super().recall(owner_key, task_id, step)


@pytest.mark.parametrize("caught", [Exception, BaseException])
@pytest.mark.parametrize("what", ["report", "step"])
def test_a_tool_cannot_take_an_outage_of_the_store_for_its_own_failure(what: str, caught: type[BaseException]) -> None:
    @tool(name="job")
    def job(context: Context) -> str:
        """Do the work."""
        store.down = context.attempt == 1
        try:
            context.report_progress(1) if what == "report" else context.step("s", lambda: 1)
        except caught:
            return "swallowed"
        return f"attempt {context.attempt}"

    store = Moody(clock := FixedClock())
    tasks = TaskService(ports=replace(memory_ports(clock), tasks=store))
    task = tasks.start(ADA, job, {})
    runner = in_process_runner(tasks, job)

    with pytest.raises(RunInterrupted):
        runner.run(ADA.owner_key, task.id)
    store.down = False
    assert tasks.get(ADA, task.id).state is State.WORKING

    runner.run(ADA.owner_key, task.id, attempt=2)
    assert tasks.outcome(ADA, task.id) == job.work.returned("attempt 2")


def within_a_task(context: Context) -> list[object]:
    """Try all that a client may lack."""
    found: list[object] = [sorted(context.journal.client_capabilities)]
    for ask in (
        lambda: context.elicit("Who?", Name),
        lambda: context.sample("Hi", max_tokens=9),
        lambda: context.list_roots(),
        lambda: context.elicit_url("Go", "https://example.com"),
    ):
        try:
            ask()
        except MissingCapability as error:
            found.append(error.capability)
    context.log("emergency", "nobody hears")
    return found


def test_a_client_that_can_be_asked_nothing_is_asked_nothing_and_a_tool_may_go_on_without() -> None:
    made = tool_run(within_a_task)

    assert made.run() == text('[[],"elicitation.form","sampling","roots","elicitation.url"]')


def test_a_task_whose_tool_cannot_go_on_without_asking_fails_with_the_reason() -> None:
    def job(context: Context) -> str:
        return context.sample("Hi", max_tokens=9).text

    assert tool_run(job).run() == failure(str(MissingCapability("sampling")))


def journal(made: OneTask) -> TaskJournal:
    """Return the journal of a run that begins now."""
    host = TaskHost(tasks=made.tasks, owner_key=ADA.owner_key, task_id=made.task.id)
    run = host.load()
    assert isinstance(run, LoadedRun), "the task is suspended"
    return TaskJournal(host=host, run=run, clock=made.clock)


def test_a_run_ends_with_what_was_not_answered_yet() -> None:
    made = suspended(COLOUR)
    made.answer(colour=RED)

    with pytest.raises(InputNeeded) as needed:
        journal(made).request_input([COLOUR, SIZE, ROOTS])
    assert needed.value.input_requests == (SIZE, ROOTS)


def test_a_run_is_given_every_kind_of_response() -> None:
    made = suspended(COLOUR, SIZE, ROOTS)
    made.answer(colour=RED, size=ERROR_RESPONSE, roots=InputResponse())

    assert journal(made).request_input([COLOUR, SIZE, ROOTS]) == [RED, ERROR_RESPONSE, InputResponse()]


def test_a_run_must_ask_what_the_ones_before_it_asked() -> None:
    made = suspended(COLOUR, SIZE)
    made.answer(colour=RED, size=BLUE)
    run = journal(made)

    assert run.request_input([COLOUR]) == [RED]
    with pytest.raises(NonDeterminismError, match="asked 'size' the last time and now 'roots' instead"):
        run.request_input([ROOTS])


def test_a_run_is_given_its_clients_capabilities() -> None:
    def job(context: Context) -> list[str]:
        return sorted(context.journal.client_capabilities)

    made = tool_run(job, client_capabilities=frozenset({"roots", "sampling"}))

    assert made.run() == text('["roots","sampling"]')


def test_a_change_that_a_task_reports_is_published_for_its_tenant() -> None:
    def job(context: Context) -> None:
        context.resource_updated("report://2026")

    made = tool_run(job)
    change_feed = made.tasks.ports.change_feed
    made.run()

    assert change_feed.version(BOB.owner_key, "report://2026") > 0
    assert (
        change_feed.version(EVE.owner_key, "report://2026") == change_feed.version(BOB.owner_key, "report://2025") == 0
    )
