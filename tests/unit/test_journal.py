"""What goes wrong between a run and its task is no fault of the tool: the run is done again."""

from dataclasses import replace

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.adapters.memory import MemoryTaskStore
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.runner import RunInterrupted, Runner
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.model import JSON, State, Task
from tests.kit import ADA, FixedClock, memory_ports


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
