"""The functions that may not read the signing keys do not ask for one."""

from collections.abc import Callable, Iterator

import pytest

from mcp_tasks.features.tools import Toolbox
from mcp_tasks.tasks.model import Task
from mcp_tasks.wiring import Wiring
from tests.cloud import cloud
from tests.isolation.holder import Holder, job
from tests.isolation.messages import ROOTS
from tests.kit import ADA

TOOLS = Toolbox([job])
OWNER = ADA.owner_key
DOES: dict[str, Callable[[Wiring, Task], object]] = {
    "suspend_task": lambda wiring, task: wiring.suspension().suspend(OWNER, task.id, "token"),
    "report_progress": lambda wiring, task: wiring.progress_reports().report(OWNER, task.id, message="half"),
    "record_outcome, of a result": lambda wiring, task: wiring.execution_outcomes(TOOLS).returned(OWNER, task.id, "a"),
    "record_outcome, of a failure": lambda wiring, task: wiring.execution_outcomes(TOOLS).failed(OWNER, task.id, "E"),
    "record_outcome, of an end": lambda wiring, task: wiring.execution_outcomes(TOOLS).ended(OWNER, task.id, "ABORTED"),
}


@pytest.fixture
def holder() -> Iterator[Holder]:
    with cloud() as aws:
        yield Holder.of(aws)


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("does", DOES)
def test_it_asks_for_no_key(holder: Holder, does: str, asks: bool) -> None:
    task = holder.task()
    if asks:
        holder.host.answer({"ticket": holder.run_ticket(task), "does": "request_input", "input_requests": [ROOTS]})
    with holder.recorded() as reach:
        DOES[does](holder.wiring, task)

    assert "task" in reach.kinds
    assert "key" not in reach.kinds


def test_a_key_that_is_asked_for_is_seen(holder: Holder) -> None:
    task = holder.task()
    ticket = holder.run_ticket(task)
    with holder.recorded() as reach:
        holder.host.answer({"ticket": ticket, "does": "check"})

    assert {"task", "key"} <= reach.kinds
