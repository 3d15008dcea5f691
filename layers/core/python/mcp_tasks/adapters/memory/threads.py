"""Executes tasks and waits for them with threads of one process: the executor and the waiter of `make serve`."""

import logging
import secrets
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from mcp_tasks.ports.executor import Execution
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.model import JSON, Task

logger = logging.getLogger(__name__)

GUARD = timedelta(milliseconds=200)
TIMEOUT = "States.Timeout"
"""The name that Step Functions gives the error."""


class ThreadExecutor:
    """Runs each task in a thread of its own, which blocks while the task is suspended.

    A thread cannot be stopped: a tool that is cancelled, or takes longer than its timeout, learns of it from its
    context.  Whoever wires the process sets `run`, `suspend` and `fail`, which do what the functions `run_tool`,
    `suspend_task` and `record_outcome` do on AWS.
    """

    def __init__(self) -> None:
        self.run: Callable[[str, str], timedelta | None] = lambda owner_key, task_id: None
        self.suspend: Callable[[str, str, str], None] = lambda owner_key, task_id, token: None
        self.fail: Callable[[str, str, str], None] = lambda owner_key, task_id, error: None
        self._threads: dict[str, threading.Thread] = {}
        self._suspended: dict[str, threading.Event] = {}

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the task's thread, unless the task has had one: threads are kept by task id."""
        thread = threading.Thread(target=self._work, args=(owner_key, task), name=task.id, daemon=True)
        # Atomic, because two threads may start the same task at once.
        if self._threads.setdefault(task.id, thread) is thread:
            thread.start()

    def stop(self, task: Task, reason: str) -> None:
        """Wake the thread if it is suspended: its next run finds the task final and ends."""
        # The token of a task that sleeps is stored nowhere.
        self._wake(task.id)

    def resume(self, task: Task) -> None:
        """Wake the thread that waits for one of the task's tokens, if one does."""
        for token in task.tokens:
            self._wake(token)

    def _wake(self, suspended_as: str) -> None:
        if suspended := self._suspended.get(suspended_as):
            suspended.set()

    def _work(self, owner_key: str, task: Task) -> None:
        try:
            while (timeout := self._run(owner_key, task)) is not None:
                token, answered = secrets.token_urlsafe(), threading.Event()
                self._suspended[token] = self._suspended[task.id] = answered
                self.suspend(owner_key, task.id, token)
                answered.wait(timeout.total_seconds())
                del self._suspended[token], self._suspended[task.id]
        except BaseException as error:  # nobody else would learn of it
            logger.exception("the work of task %s ended without an outcome", task.id)
            self.fail(owner_key, task.id, type(error).__name__)

    def _run(self, owner_key: str, task: Task) -> timedelta | None:
        """Run the tool, and fail the task at its timeout: what the run does after that is rejected, as on AWS."""
        expiry = threading.Timer(task.timeout.total_seconds(), self.fail, (owner_key, task.id, TIMEOUT))
        expiry.daemon = True
        expiry.start()
        try:
            return self.run(owner_key, task.id)
        finally:
            expiry.cancel()

    def describe(self, task: Task) -> Execution:
        """Return the state of the task's thread."""
        thread = self._threads.get(task.id)
        if thread is None:
            return Execution.ABSENT
        return Execution.RUNNING if thread.is_alive() else Execution.ENDED

    def running(self) -> Iterable[Collection[str]]:
        """Yield the ids of all tasks whose threads run."""
        yield [task_id for task_id, thread in list(self._threads.items()) if thread.is_alive()]


def start_queued_tasks(
    changed: threading.Condition, waiting: Callable[[], Iterable[str]], start: Callable[[str], None]
) -> None:
    """Have a thread start the queued tasks of each tenant that has any, soon after a task `changed`."""

    def work() -> None:
        while True:
            with changed:
                changed.wait(GUARD.total_seconds())
            for tenant in waiting():
                start(tenant)

    threading.Thread(target=work, name="queue", daemon=True).start()


class ConditionWaiter:
    """Waits on `changed`, the condition that the memory store notifies after every change of any task."""

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        """Yield the waiter itself, which wakes for the changes of other tasks too."""
        yield self

    def pause(self, at_most: timedelta) -> Waker:
        """Block until any task changes, 200 ms at most."""
        # A change between the caller's read and this line is missed, hence the short bound.
        with self._changed:
            notified = self._changed.wait(min(at_most, GUARD).total_seconds())
        return Waker.STREAM if notified else Waker.POLL
