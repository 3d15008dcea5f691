"""A state machine reports the progress of its task by the task's id."""

from mcp_tasks.engine.progress_reports import ProgressReports
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.tasks.events import InputRequested, Suspended
from mcp_tasks.tasks.model import Progress, Task
from tests.kit import ADA
from tests.unit.jobs import COLOUR, job, service


class Reports:
    """A task, and its reports."""

    def __init__(self) -> None:
        self.tasks = service()
        self.id = self.tasks.start(ADA, job, {}).id

    def __call__(self, message: str | None = None, progress: float | None = None, total: float | None = None) -> Task:
        reports = ProgressReports(tasks=self.tasks)
        reports.report(ADA.owner_key, self.id, message=message, progress=progress, total=total)
        return self.tasks.get(ADA, self.id)


def test_a_report_is_the_tasks_progress_and_its_status_message() -> None:
    task = Reports()("half of it", 5, 10)

    assert task.progress == Progress(progress=5, total=10, message="half of it")
    assert task.status_message == "half of it"


def test_reports_without_a_number_count_up_to_the_total() -> None:
    report = Reports()

    assert [report(total=2).progress for _ in range(3)] == [
        Progress(progress=1, total=2),
        Progress(progress=2, total=2),
        Progress(progress=2, total=2),
    ]


def test_a_report_counts_on_from_the_last_number() -> None:
    report = Reports()
    report(progress=2.5)

    assert report("on").progress == Progress(progress=3.5, message="on")


def test_progress_does_not_go_back() -> None:
    report = Reports()
    before = report("far", 5)

    assert report("back", 4) == before
    assert report("as far", 5) == before


def test_a_message_is_cut_and_may_be_any_json() -> None:
    report = Reports()

    assert report("x" * 2 * MAX_LINE_CHARACTERS).status_message == "x" * MAX_LINE_CHARACTERS
    assert report(message=7).status_message == "7"  # type: ignore[arg-type]  # what JSONata may evaluate to


def test_a_report_of_a_task_that_is_suspended_final_or_gone_does_nothing() -> None:
    report = Reports()
    report.tasks.apply(ADA.owner_key, report.id, InputRequested(input_requests=(COLOUR,)))
    report.tasks.apply(ADA.owner_key, report.id, Suspended(task_token="token"))
    assert report(progress=1).progress is None

    report.tasks.cancel(ADA, report.id)
    assert report(progress=1).progress is None

    ProgressReports(tasks=report.tasks).report(ADA.owner_key, "no such task", progress=1)
