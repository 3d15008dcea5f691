"""What goes wrong between a run and its task is no fault of the tool: it is done again; nobody is asked yet."""

from dataclasses import replace

import pytest

from mcp_tasks import ClientCannot, Context, tool
from mcp_tasks.adapters.memory import MemoryTaskStore
from mcp_tasks.features.tools import Toolbox, failure
from mcp_tasks.journal import TaskJournal
from mcp_tasks.runner import RunInterrupted, Runner
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.model import JSON, State, Task
from tests.kit import ADA, BOB, EVE, FixedClock, a_task, memory_ports
from tests.unit.asking import Name, question
from tests.unit.workbench import bench, text


class Outage(Exception):
    """What a client library raises when AWS does not answer."""


class Moody(MemoryTaskStore):
    """A store that fails while it is `down`."""

    down = False

    def read(self, scope: str, task_id: str) -> Task:
        if self.down:
            raise Outage
        return super().read(scope, task_id)

    def recall(self, scope: str, task_id: str, step: str) -> tuple[JSON] | None:
        if self.down:
            raise Outage
        return super().recall(scope, task_id, step)


@pytest.mark.parametrize("what", ["report", "step"])
def test_a_tool_cannot_take_an_outage_of_the_store_for_its_own_failure(what: str) -> None:
    @tool(name="job")
    def job(context: Context) -> str:
        store.down = context.attempt == 1
        try:
            context.report_progress(1) if what == "report" else context.step("s", lambda: 1)
        except Exception:  # noqa: BLE001  # what many tools do
            return "swallowed"
        return f"attempt {context.attempt}"

    store = Moody(clock := FixedClock())
    tasks = TaskService(ports=replace(memory_ports(clock), tasks=store))
    task = tasks.start(ADA, job, {})
    runner = Runner(tasks=tasks, tools=Toolbox([job]))

    with pytest.raises(RunInterrupted):
        runner.run(ADA.scope, task.id)
    store.down = False
    assert tasks.look(ADA, task.id).state is State.WORKING

    runner.run(ADA.scope, task.id, attempt=2)
    assert tasks.outcome(ADA, task.id) == job.work.returned("attempt 2")


def within_a_task(context: Context) -> list[object]:
    """Try all that only somebody who waits could hear."""
    found: list[object] = [sorted(context.journal.abilities)]
    for ask in (
        lambda: context.elicit("Who?", Name),
        lambda: context.sample("Hi", max_tokens=9),
        lambda: context.list_roots(),
        lambda: context.elicit_url("Go", "https://example.com"),
    ):
        try:
            ask()
        except ClientCannot as error:
            found.append(error.ability)
    context.log("emergency", "nobody hears")
    return found


def test_nobody_can_be_asked_within_a_task_yet_and_a_tool_may_go_on_without() -> None:
    made = bench(within_a_task)

    assert made.run() == text('[[],"elicitation.form","sampling","roots","elicitation.url"]')


def test_a_task_whose_tool_cannot_go_on_without_asking_fails_with_the_reason() -> None:
    def job(context: Context) -> str:
        return context.sample("Hi", max_tokens=9).text

    assert bench(job).run() == failure(str(ClientCannot("sampling")))


def test_a_journal_that_is_asked_all_the_same_says_no() -> None:
    tasks = TaskService(ports=memory_ports())
    journal = TaskJournal(tasks=tasks, scope=ADA.scope, task=a_task())

    with pytest.raises(ClientCannot, match="roots/list"):
        journal.ask([question("k")])


def test_a_change_that_a_task_tells_of_is_posted_for_its_tenant() -> None:
    def job(context: Context) -> None:
        context.resource_updated("report://2026")

    made = bench(job)
    board = made.tasks.ports.board
    made.run()

    assert board.version(BOB.scope, "report://2026") > 0
    assert board.version(EVE.scope, "report://2026") == board.version(BOB.scope, "report://2025") == 0
