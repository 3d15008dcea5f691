"""Executes tasks and waits for them with threads of one process: the executor and the waiter of `make serve`."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.executor import Execution
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.model import JSON, Task

logger = logging.getLogger(__name__)

GUARD = timedelta(milliseconds=200)
TASKS = "tasks"
TIMEOUT = "States.Timeout"
"""The name that Step Functions gives the error."""


class TaskThreads:
    """A thread for each task, which is known until the task expires, also when it has ended long before."""

    def __init__(self, clock: Clock) -> None:
        """Begin without threads; tasks expire by this clock."""
        self._known: Shelves[threading.Thread] = Shelves(clock)
        self._lock = threading.Lock()

    def start(self, task: Task, work: Callable[..., None], *arguments: object) -> None:
        """Start a task's thread, unless the task has had one."""
        thread = threading.Thread(target=work, args=arguments, name=task.id, daemon=True)
        with self._lock:
            if (TASKS, task.id) in self._known:
                return
            thread.start()
            self._known.put(TASKS, task.id, thread, task.expires_at)

    def describe(self, task: Task) -> Execution:
        """Return the state of the task's thread."""
        thread = self._known.get((TASKS, task.id))
        if thread is None:
            return Execution.ABSENT
        return Execution.RUNNING if thread.is_alive() else Execution.ENDED

    def running(self) -> Collection[str]:
        """Return the ids of all tasks whose threads run."""
        return [thread.name for thread in list(self._known.values()) if thread.is_alive()]

    def __len__(self) -> int:
        """Return how many threads are known."""
        return len(self._known)


class ThreadExecutor:
    """Runs each task in a thread of its own, which blocks while the task is suspended.

    A thread cannot be stopped: a tool that is cancelled, or takes longer than its timeout, learns of it from its
    context.  Whoever wires the process sets `run`, `suspend` and `fail`, which do what the functions `run_tool`,
    `suspend_task` and `record_outcome` do on AWS.
    """

    def __init__(self, clock: Clock) -> None:
        self.run: Callable[[str, str], timedelta | None] = lambda owner_key, task_id: None
        self.suspend: Callable[[str, str, str], None] = lambda owner_key, task_id, token: None
        self.fail: Callable[[str, str, str], None] = lambda owner_key, task_id, error: None
        self._threads = TaskThreads(clock)
        self._suspended: dict[str, threading.Event] = {}

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the task's thread, unless the task has had one."""
        self._threads.start(task, self._work, owner_key, task)

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
        return self._threads.describe(task)

    def running(self) -> Iterable[Collection[str]]:
        """Yield the ids of all tasks whose threads run."""
        yield self._threads.running()


def start_queued_tasks(
    changed: threading.Condition, waiting: Callable[[], Iterable[str]], start: Callable[[str], None]
) -> None:
    """Have a thread start the queued tasks of each tenant that has any, soon after a task `changed`."""

    def work() -> None:
        while True:
            with changed:
                changed.wait(GUARD.total_seconds())
            for tenant in waiting():
                attempt(partial(start, tenant), "the queued tasks of a tenant were not started")

    threading.Thread(target=work, name="queue", daemon=True).start()


def sweep_regularly(sweep: Callable[[], object], between: timedelta) -> None:
    """Have a thread sweep, as a schedule does on AWS."""

    def work() -> None:
        while True:
            time.sleep(between.total_seconds())
            attempt(sweep, "a sweep failed")

    threading.Thread(target=work, name="sweep", daemon=True).start()


def attempt(act: Callable[[], object], failure: str) -> None:
    """Act, and log a failure: the thread has to go on for as long as the process does."""
    try:
        act()
    except Exception:
        logger.exception(failure)


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
