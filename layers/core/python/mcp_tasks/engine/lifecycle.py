"""The lifecycle of tasks as clients drive it: start one, look at it, wait for it, cancel it, list the next page."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from mcp_tasks.engine.limits import Limits
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.task_ids import new_task_id
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition, NewerSchema, TaskNotFound
from mcp_tasks.tasks.events import Cancelled
from mcp_tasks.tasks.keys import IdempotencyKey
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Outcome, Progress, Task
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialState:
    """How far a call came that becomes a task on its way.

    `asked` are the keys of what it asked, `input_requests` those without a response yet; `progress` and
    `status_message` what it told.
    """

    requested: tuple[str, ...] = ()
    input_requests: tuple[InputRequest, ...] = ()
    steps: Mapping[str, JSON] = field(default_factory=dict)
    responses: Mapping[str, InputResponse] = field(default_factory=dict)
    progress: Progress | None = None
    status_message: str | None = None


NO_INITIAL_STATE = InitialState()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskService(TaskOperations):
    """What the requests of a caller do with the caller's own tasks."""

    limits: Limits = field(default_factory=Limits)

    def start(
        self,
        caller: Caller,
        tool: Tool,
        arguments: Mapping[str, JSON],
        *,
        ttl: timedelta | None = None,
        progress_token: str | int | None = None,
        session: str | None = None,
        key: str | None = None,
        joins: bool = False,
        outcome: Outcome | None = None,
        client_capabilities: frozenset[str] = frozenset(),
        initial_state: InitialState = NO_INITIAL_STATE,
    ) -> Task:
        """Create a task and start its work, or finish it at once where its `outcome` is known already.

        A call that `joins` and has no key of its own is given one, where the tool is joinable.

        Raises `TooManyTasks`, `KeyReused` and `ArgumentsTooLarge`.
        """
        text = json.dumps([tool.name, arguments], sort_keys=True, separators=(",", ":"))
        self.limits.check_size(tool, len(text))
        now, owner_key = self.ports.clock.now(), caller.owner_key
        granted = self.limits.granted(tool, ttl)
        task = Task(
            id=new_task_id(now),
            tool=tool.name,
            created_at=now,
            updated_at=now,
            ttl=granted,
            timeout=min(tool.timeout, granted - KEPT),
            poll_interval=tool.poll_interval,
            machine=tool.machine,
            status_message=initial_state.status_message,
            progress=initial_state.progress,
            progress_token=progress_token,
            session=session,
            scopes=caller.scopes,
            client_capabilities=client_capabilities,
            requested=initial_state.requested,
            requested_at=now if initial_state.input_requests else None,
            input_requests=initial_state.input_requests,
        )
        named = None if key is None else IdempotencyKey.given(key, text)
        # Callers who cannot be told apart would join each other's calls; who can do more, or may, calls another one.
        if (
            key is None
            and joins
            and tool.joinable
            and caller.identified
            and initial_state == NO_INITIAL_STATE
            and outcome is None
        ):
            alike = [text, sorted(caller.scopes), sorted(client_capabilities)]
            named = IdempotencyKey.joining(alike, tool.joinable)
        limit, records = (
            self.limits.active_tasks,
            InitialRecords(steps=initial_state.steps, responses=initial_state.responses),
        )
        stored = self.ports.tasks.create(owner_key, task, arguments, key=named, limit=limit, records=records)
        is_new = stored.id == task.id
        if is_new:
            logger.info("task created", extra={"task": stored.id, "owner_key": owner_key, "tool": tool.name})
        # One that was there before has work of its own; and so has this one, if the table's stream was faster.
        if is_new and outcome is not None:
            with suppress(IllegalTransition):
                self.finish(owner_key, stored.id, outcome)
        elif not is_final(stored):
            self.attempt(lambda: self.launch(owner_key, stored, arguments))
        return stored

    def get(self, caller: Caller, task_id: str) -> Task:
        """Return the caller's task as it is now; raises `TaskNotFound`."""
        return self.read(caller.owner_key, task_id)

    def outcome(self, caller: Caller, task_id: str) -> Outcome:
        """Return how the caller's finished task ended; raises `TaskNotFound`."""
        return self.ports.tasks.outcome(caller.owner_key, task_id)

    def wait(
        self,
        caller: Caller,
        task_id: str,
        *,
        timeout: timedelta,
        since: int | None = None,
        debounce: timedelta = timedelta(),
        until: Callable[[Task], bool] = is_final,
    ) -> Task:
        """Return the task once it is final or as wanted, or newer than version `since`, or when patience ends.

        A task that is no more than newer is kept back until `debounce` has passed, so that what happens in quick
        succession is told at once.  Raises `TaskNotFound`.
        """
        clock, owner_key = self.ports.clock, caller.owner_key
        deadline = clock.now() + timeout
        debounce_ends = min(clock.now() + debounce, deadline)
        woken_by: Waker | None = None
        with self.ports.waiter.watch(owner_key, task_id) as watch:
            while True:
                task = self.ports.tasks.read(owner_key, task_id)
                updates = since is not None and task.version > since
                found = is_final(task) or until(task)
                left = (debounce_ends if updates else deadline) - clock.now()
                if found or left <= timedelta():
                    _log_wait(woken_by, in_vain=not (found or updates), task=task_id)
                    return task
                paused = watch.pause(left)
                # What ended the wait is the first news, not the lull after it.
                woken_by = woken_by if updates else paused

    def updates(self, caller: Caller, seen: Mapping[str, int], *, timeout: timedelta) -> list[Task]:
        """Return those of the caller's tasks that are newer than the version that was seen of them.

        Comes back once there are any, or with none when patience ends; a task that is gone has no news.
        """
        clock = self.ports.clock
        deadline = clock.now() + timeout
        woken_by: Waker | None = None
        with self.ports.waiter.watch(caller.owner_key, *seen) as watch:
            while True:
                found = [task for task_id in seen if (task := self._find(caller, task_id)) is not None]
                newer = [task for task in found if task.version > seen[task.id]]
                left = deadline - clock.now()
                if newer or left <= timedelta():
                    if seen:
                        _log_wait(woken_by, in_vain=not newer, tasks=list(seen))
                    return newer
                woken_by = watch.pause(left)

    def claim_notification(self, caller: Caller, task: Task, listener: str) -> bool:
        """Tell whether this version of the task is still to be told to a listener, by whoever asks first."""
        return self.ports.tasks.claim(caller.owner_key, task, listener)

    def cancel(self, caller: Caller, task_id: str) -> Task:
        """End the caller's task without an outcome and stop its work; raises `TaskNotFound` and `IllegalTransition`."""
        task = self.apply(caller.owner_key, task_id, Cancelled(status_message="Cancelled on request."))
        self.attempt(lambda: self.ports.executor.stop(task, "cancelled"))
        return task

    def awaiting_input(self, caller: Caller, session: str) -> Sequence[str]:
        """Return the ids of those of the caller's tasks that a session began and that ask something now."""
        return self.ports.tasks.awaiting_input(caller.owner_key, session)

    def page(self, caller: Caller, *, before: str | None, limit: int) -> tuple[Sequence[Task], str | None]:
        """Return the caller's tasks created before `before`, newest first, and the id that the next page comes before.

        A task that is created meanwhile is on no later page, so that pages neither repeat nor skip one.
        """
        found = self.ports.tasks.page(caller.owner_key, before=before, limit=limit + 1)
        page = found[:limit]
        return page, page[-1].id if len(found) > limit else None

    def _find(self, caller: Caller, task_id: str) -> Task | None:
        try:
            return self.get(caller, task_id)
        except (TaskNotFound, NewerSchema):
            return None


def _log_wait(woken_by: Waker | None, *, in_vain: bool, **about: str | list[str]) -> None:
    """Say what ended a wait; where nobody had to wait there is nothing to say."""
    if woken_by is not None:
        logger.info("wait ended", extra={"woken_by": Waker.DEADLINE if in_vain else woken_by, **about})
