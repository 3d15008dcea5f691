"""What a product person would say of tasks: start one, look at it, wait for it, settle it, cancel it, page on.

Write order: the store first, the side effect second.  A side effect that fails is logged and left to the table's
stream, which repeats it (`reconciler`); so an answer never waits for the executor's good day, and nothing is lost.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from mcp_tasks.engine.limits import Limits
from mcp_tasks.engine.task_ids import new_task_id
from mcp_tasks.features.tools import Tool
from mcp_tasks.ports import Ports
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.ports.store import Seed
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalMove, StaleTask, TaskNotFound
from mcp_tasks.tasks.events import Answered, Cancelled, Event, Resumed, Settled
from mcp_tasks.tasks.keys import IdempotencyKey
from mcp_tasks.tasks.model import JSON, KEPT, LONGEST_NOTE, Faulted, Outcome, Progress, Question, Reply, Returned, Task
from mcp_tasks.tasks.transitions import advance, is_final

logger = logging.getLogger(__name__)

TRIES = 60
"""How often a write that lost a race is tried anew: each loss means that somebody else's write succeeded, and so many
answers may come at the same moment."""

INTERNAL_ERROR = -32603
"""JSON-RPC's code for what is nobody's fault but ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """How far a call came that becomes a task on its way.

    `asked` are the keys of what it asked, `questions` those without a reply yet; `progress` and `note` what it told.
    """

    asked: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    steps: Mapping[str, JSON] = field(default_factory=dict)
    replies: Mapping[str, Reply] = field(default_factory=dict)
    progress: Progress | None = None
    note: str | None = None


NOT_BEGUN = Begun()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskService:
    """The sentences that can be said of tasks."""

    ports: Ports
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
        abilities: frozenset[str] = frozenset(),
        begun: Begun = NOT_BEGUN,
    ) -> Task:
        """Create a task and start its work, or settle it at once where its `outcome` is known already.

        A call that `joins` and has no key of its own is given one, where the tool is joinable.

        Raises `TooManyTasks`, `KeyReused` and `ArgumentsTooLarge`.
        """
        text = json.dumps([tool.name, arguments], sort_keys=True, separators=(",", ":"))
        self.limits.check_size(tool, len(text))
        now = self.ports.clock.now()
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
            note=begun.note,
            progress=begun.progress,
            progress_token=progress_token,
            session=session,
            scopes=caller.scopes,
            abilities=abilities,
            asked=begun.asked,
            asked_at=now if begun.questions else None,
            questions=begun.questions,
        )
        named = None if key is None else IdempotencyKey.given(key, text)
        # Callers who cannot be told apart would join each other's calls; who can do more, or may, calls another one.
        if key is None and joins and tool.joinable and caller.identified and begun == NOT_BEGUN and outcome is None:
            alike = [text, sorted(caller.scopes), sorted(abilities)]
            named = IdempotencyKey.joining(alike, tool.joinable)
        limit, seed = self.limits.active_tasks, Seed(steps=begun.steps, replies=begun.replies)
        stored = self.ports.tasks.create(caller.owner_key, task, arguments, key=named, limit=limit, seed=seed)
        is_new = stored.id == task.id
        if is_new:
            logger.info("task created", extra={"task": stored.id, "owner_key": caller.owner_key, "tool": tool.name})
        # One that was there before has work of its own; and so has this one, if the table's stream was faster.
        if is_new and outcome is not None:
            with suppress(IllegalMove):
                self.settle(caller.owner_key, stored.id, outcome)
        elif not is_final(stored):
            self.attempt(lambda: self.launch(caller.owner_key, stored, arguments))
        return stored

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

    def now(self) -> datetime:
        """Return the time that tasks go by."""
        return self.ports.clock.now()

    def look(self, caller: Caller, task_id: str) -> Task:
        """Return the caller's task as it is now; raises `TaskNotFound`."""
        return self.ports.tasks.read(caller.owner_key, task_id)

    def outcome(self, caller: Caller, task_id: str) -> Outcome:
        """Return how the caller's finished task ended; raises `TaskNotFound`."""
        return self.ports.tasks.outcome(caller.owner_key, task_id)

    def wait(
        self,
        caller: Caller,
        task_id: str,
        *,
        patience: timedelta,
        since: int | None = None,
        lull: timedelta = timedelta(),
        until: Callable[[Task], bool] = is_final,
    ) -> Task:
        """Return the task once it is final or as wanted, or newer than version `since`, or when patience ends.

        A task that is no more than newer is kept back until `lull` has passed, so that what happens in quick
        succession is told at once.  Raises `TaskNotFound`.
        """
        clock = self.ports.clock
        deadline = clock.now() + patience
        lull_ends = min(clock.now() + lull, deadline)
        woken_by: Waker | None = None
        with self.ports.waiter.watch(caller.owner_key, task_id) as watch:
            while True:
                task = self.look(caller, task_id)
                news = since is not None and task.version > since
                found = is_final(task) or until(task)
                left = (lull_ends if news else deadline) - clock.now()
                if found or left <= timedelta():
                    _log_wait(woken_by, in_vain=not (found or news), task=task_id)
                    return task
                paused = watch.pause(left)
                # What ended the wait is the first news, not the lull after it.
                woken_by = woken_by if news else paused

    def news(self, caller: Caller, seen: Mapping[str, int], *, patience: timedelta) -> list[Task]:
        """Return those of the caller's tasks that are newer than the version that was seen of them.

        Comes back once there are any, or with none when patience ends; a task that is gone has no news.
        """
        clock = self.ports.clock
        deadline = clock.now() + patience
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

    def announce(self, caller: Caller, task: Task, listener: str) -> bool:
        """Tell whether this version of the task is still to be told to a listener, by whoever asks first."""
        return self.ports.tasks.claim(caller.owner_key, task, listener)

    def cancel(self, caller: Caller, task_id: str) -> Task:
        """End the caller's task without an outcome and stop its work; raises `TaskNotFound` and `IllegalMove`."""
        task = self.apply(caller.owner_key, task_id, Cancelled(note="Cancelled on request."))
        self.attempt(lambda: self.ports.executor.stop(task, "cancelled"))
        return task

    def page(self, caller: Caller, *, before: str | None, limit: int) -> tuple[Sequence[Task], str | None]:
        """Return the caller's tasks created before `before`, newest first, and the id that the next page comes before.

        A task that is created meanwhile is on no later page, so that pages neither repeat nor skip one.
        """
        found = self.ports.tasks.page(caller.owner_key, before=before, limit=limit + 1)
        page = found[:limit]
        return page, page[-1].id if len(found) > limit else None

    def settle(self, owner_key: str, task_id: str, outcome: Outcome) -> Task:
        """Record how the work on a task ended; raises `TaskNotFound` and, if it is final already, `IllegalMove`."""
        return self.apply(owner_key, task_id, Settled(outcome=outcome, note=_reason(outcome)))

    def fail(self, owner_key: str, task_id: str, reason: str) -> bool:
        """Settle a task whose work ended without telling how, unless it is final or gone; tells whether it was not."""
        try:
            self.settle(owner_key, task_id, Faulted(code=INTERNAL_ERROR, message=reason))
        except (TaskNotFound, IllegalMove):
            return False
        logger.warning("task %s ended without an outcome of its own: %s", task_id, reason)
        return True

    def apply(self, owner_key: str, task_id: str, event: Event) -> Task:
        """Write what the event makes of the task; raises as `change` does."""
        return self.change(owner_key, task_id, lambda task: event)

    def change(self, owner_key: str, task_id: str, decide: Callable[[Task], Event | None]) -> Task:
        """Write what happens to the task as it is found: the one way in which a stored task ever changes.

        Nothing is written where there is no event.  Raises `TaskNotFound`, `IllegalMove`, and `StaleTask` when it
        lost too many races.
        """
        for _ in range(TRIES):
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
                    "task ended", extra={"task": task_id, "owner_key": owner_key, "how": after.ending or after.state}
                )
            return after
        raise StaleTask(f"lost {TRIES} races for one task")

    def attempt(self, effect: Callable[[], None]) -> None:
        """Do in the world what a write calls for; where that fails, the table's stream repeats it."""
        try:
            effect()
        except ExecutorUnavailable:
            logger.exception("left to the table's stream", extra={"fallback": "left_to_stream"})

    def _write(self, owner_key: str, before: Task, after: Task, event: Event) -> None:
        write = self.ports.tasks.write
        match event:
            case Settled(outcome=outcome):
                write(owner_key, before, after, outcome)
            case Answered(replies=replies) | Resumed(replies=replies):
                write(owner_key, before, after, replies=replies)
            case _:
                write(owner_key, before, after)

    def _find(self, caller: Caller, task_id: str) -> Task | None:
        try:
            return self.look(caller, task_id)
        except TaskNotFound:
            return None


def _log_wait(woken_by: Waker | None, *, in_vain: bool, **about: str | list[str]) -> None:
    """Say what ended a wait; where nobody had to wait there is nothing to say."""
    if woken_by is not None:
        logger.info("wait ended", extra={"woken_by": Waker.DEADLINE if in_vain else woken_by, **about})


def _reason(outcome: Outcome) -> str | None:
    """Say in a line why the work failed, for those who only ever look at the task."""
    match outcome:
        case Faulted(message=message):
            return message[:LONGEST_NOTE]
        case Returned(is_error=True, result={"content": [{"text": str(text)}, *_]}):
            return text[:LONGEST_NOTE]
        case _:
            return None
