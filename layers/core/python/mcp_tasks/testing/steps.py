"""What the harness sees of the steps of tools, in every run of them, and the crashes that it causes there."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal, cast

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.journal import Journal
from mcp_tasks.features.tools import Tool, Work
from mcp_tasks.tasks.model import JSON, Returned
from mcp_tasks.testing.work import ProcessCrashed

When = Literal["before", "after"]
"""Before a step's result is recorded, or after it."""


class Steps:
    """The steps that tools recorded, and the crashes that are still to come."""

    def __init__(self) -> None:
        self._recorded: list[str] = []
        self._of_tasks: dict[str, list[str]] = {}
        self._retries: dict[str, list[str]] = {}
        self._crashes: Counter[tuple[When, str]] = Counter()

    def crash(self, when: When, step: str) -> None:
        """Crash once, and once more for each time that this is called, when a run comes to the step."""
        self._crashes[when, step] += 1

    def check_crashes(self) -> None:
        """Raise `AssertionError` if a crash never came, and forget it."""
        missing = ", ".join(f"{when} {step!r}" for when, step in self._crashes.elements())
        self._crashes.clear()
        recorded = ", ".join(repr(step) for step in dict.fromkeys(self._recorded)) or "none"
        assert not missing, f"no crash came {missing}: these steps ran: {recorded}"

    def of_task(self, task_id: str) -> list[str]:
        """Return the names of the steps that were recorded for a task, in order, with repetitions."""
        return list(self._of_tasks.get(task_id, ()))

    def retries_of(self, task_id: str) -> list[str]:
        """Return the name of the step for each retry of a task, in order."""
        return list(self._retries.get(task_id, ()))

    def begin_task(self, task_id: str, recorded: Iterable[str]) -> None:
        """Note the steps that a call recorded before it became a task."""
        self._of_tasks[task_id] = list(recorded)

    def observed(self, tool: Tool) -> Tool:
        """Return the tool, with every step of its runs noted here."""
        return replace(tool, work=cast(Work, _ObservedWork(tool.work, self)))

    def come_to(self, when: When, step: str) -> None:
        """Raise `ProcessCrashed` if a crash is to come now."""
        if self._crashes[when, step]:
            self._crashes[when, step] -= 1
            raise ProcessCrashed(f"{when} the step {step} was recorded")

    def retry(self, task_id: str | None, step: str) -> None:
        """Note that a step of a task is retried."""
        if task_id is not None:
            self._retries.setdefault(task_id, []).append(step)

    def record(self, task_id: str | None, step: str) -> None:
        """Note that a step was recorded, for a task or within a call."""
        self._recorded.append(step)
        if task_id is not None:
            self._of_tasks.setdefault(task_id, []).append(step)


class _ObservedWork:
    """The work of a tool, in all but the journal of its calls."""

    def __init__(self, work: Work, steps: Steps) -> None:
        self._work = work
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self._work, name)

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        journal = _ObservedJournal(context.journal, self._steps, context.task_id)
        return self._work.call(arguments, replace(context, journal=cast(Journal, journal)))


class _ObservedJournal:
    """A journal whose steps are noted, and crash where they are to."""

    def __init__(self, journal: Journal, steps: Steps, task_id: str | None) -> None:
        self._journal = journal
        self._steps = steps
        self._task_id = task_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        ran = False

        def observed() -> JSON:
            nonlocal ran
            value, ran = run(), True
            self._steps.come_to("before", name)
            return value

        recorded = self._journal.step(name, observed)
        if ran:
            self._steps.record(self._task_id, name)
            self._steps.come_to("after", name)
        return recorded

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        waited = self._journal.wait_to_retry(step, delay)
        if waited:
            self._steps.retry(self._task_id, step)
        return waited
