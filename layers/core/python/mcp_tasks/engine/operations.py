"""Tasks by owner key and id: what the modules that do, suspend and reconcile the work read, write and set going.

Write order: the store first, the side effect second.  A side effect that fails is logged and left to the table's
stream, which repeats it (`reconciler`), so that no answer waits for the executor and nothing is lost.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.limits.waits import MAX_WRITE_ATTEMPTS
from mcp_tasks.ports import Ports
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.errors import IllegalTransition, StaleTask, TaskNotFound
from mcp_tasks.tasks.events import Event, Finished, InputReceived, Resumed
from mcp_tasks.tasks.model import JSON, Failed, InputResponse, Outcome, Returned, Task
from mcp_tasks.tasks.transitions import advance, is_final

logger = logging.getLogger(__name__)


INTERNAL_ERROR = -32603
"""JSON-RPC's code for what is nobody's fault but ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOperations:
    """Operations on single tasks for code that knows their owner key; `TaskService` adds what clients ask for."""

    ports: Ports

    def now(self) -> datetime:
        """Return the time that tasks go by."""
        return self.ports.clock.now()

    def read(self, owner_key: str, task_id: str) -> Task:
        """Return the task as it is now; raises `TaskNotFound`."""
        return self.ports.tasks.read(owner_key, task_id)

    def arguments(self, owner_key: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the task's tool was called with; raises `TaskNotFound`."""
        return self.ports.tasks.arguments(owner_key, task_id)

    def recorded_step(self, owner_key: str, task_id: str, name: str) -> tuple[JSON] | None:
        """Return what a step of the task's tool recorded, in a tuple of one, or None if it has not run."""
        return self.ports.tasks.recall(owner_key, task_id, name)

    def record_step(self, owner_key: str, task: Task, name: str, value: JSON) -> JSON:
        """Keep what a step produced, unless an earlier run of it did; returns what is kept."""
        return self.ports.tasks.record(owner_key, task, name, value)

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return the response to one of the task's input requests, if there is one."""
        return self.ports.tasks.response(owner_key, task_id, key)

    def publish(self, owner_key: str, uri: str) -> None:
        """Publish that what is at an address changed, to all callers of the owner's tenant."""
        self.ports.change_feed.publish(owner_key, uri)

    def launch(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the work on a live task, unless it was started before; raises `ExecutorUnavailable`."""
        self.ports.executor.start(owner_key, task, arguments)
        # Whoever cancelled the task between our reading it and this line found nothing to stop.
        try:
            wanted = not is_final(self.ports.tasks.read(owner_key, task.id))
        except TaskNotFound:
            wanted = False
        if not wanted:
            self.ports.executor.stop(task, "cancelled before it started")

    def finish(self, owner_key: str, task_id: str, outcome: Outcome) -> Task:
        """Record the outcome of a task; raises `TaskNotFound` and, if it is final already, `IllegalTransition`."""
        return self.apply(owner_key, task_id, Finished(outcome=outcome, status_message=_reason(outcome)))

    def fail(self, owner_key: str, task_id: str, reason: str) -> bool:
        """Settle a task whose work ended without telling how, unless it is final or gone; tells whether it was not."""
        try:
            self.finish(owner_key, task_id, Failed(code=INTERNAL_ERROR, message=reason))
        except (TaskNotFound, IllegalTransition):
            return False
        logger.warning("task %s ended without an outcome of its own: %s", task_id, reason)
        return True

    def apply(self, owner_key: str, task_id: str, event: Event) -> Task:
        """Write what the event makes of the task; raises as `change` does."""
        return self.change(owner_key, task_id, lambda task: event)

    def change(self, owner_key: str, task_id: str, decide: Callable[[Task], Event | None]) -> Task:
        """Write what happens to the task as it is found: the one way in which a stored task ever changes.

        Nothing is written where there is no event.  Raises `TaskNotFound`, `IllegalTransition`, and `StaleTask` when it
        lost too many races.
        """
        for _ in range(MAX_WRITE_ATTEMPTS):
            before = self.ports.tasks.read(owner_key, task_id)
            event = decide(before)
            if event is None:
                return before
            moved = advance(before, event, now=self.ports.clock.now())
            after = replace(moved, version=before.version + 1)
            try:
                self._write(owner_key, before, after, event)
            except StaleTask:
                continue
            if is_final(after):
                logger.info(
                    "task ended",
                    extra={"task": task_id, "owner_key": owner_key, "how": after.outcome_kind or after.state},
                )
            return after
        raise StaleTask(f"lost {MAX_WRITE_ATTEMPTS} races for one task")

    def resume(self, task: Task) -> None:
        """Let suspended work go on, unless it does already or has ended; raises `ExecutorUnavailable`."""
        self.ports.executor.resume(task)

    def attempt(self, effect: Callable[[], None]) -> None:
        """Do in the world what a write calls for; where that fails, the table's stream repeats it."""
        try:
            effect()
        except ExecutorUnavailable:
            logger.exception("left to the table's stream", extra={"fallback": "left_to_stream"})

    def _write(self, owner_key: str, before: Task, after: Task, event: Event) -> None:
        write = self.ports.tasks.write
        match event:
            case Finished(outcome=outcome):
                write(owner_key, before, after, outcome)
            case InputReceived(responses=responses) | Resumed(responses=responses):
                write(owner_key, before, after, responses=responses)
            case _:
                write(owner_key, before, after)


def _reason(outcome: Outcome) -> str | None:
    """Say in a line why the work failed, for those who only ever look at the task."""
    match outcome:
        case Failed(message=message):
            return message[:MAX_LINE_CHARACTERS]
        case Returned(is_error=True, result={"content": [{"text": str(text)}, *_]}):
            return text[:MAX_LINE_CHARACTERS]
        case _:
            return None
