"""Work and waiting inside one process, with threads: the executor and the waiter of `make serve`."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

from mcp_tasks.ports.executor import Execution
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.model import JSON, Task

logger = logging.getLogger(__name__)

Run = Callable[[], None]
Machine = Callable[[Mapping[str, JSON], Run], None]
"""A stand-in for a state machine: takes the arguments and what runs the tool."""

GUARD = timedelta(milliseconds=200)


class ThreadExecutor:
    """One thread a task, asleep while the task waits for its client.

    A thread cannot be stopped: a cancelled tool learns of it from its context.
    """

    def __init__(self, machines: Mapping[str, Machine]) -> None:
        """Take the stand-ins by name; `run` and `suspend` are set by whoever wires the process."""
        self.run: Callable[[str, str], timedelta | None] = lambda owner_key, task_id: None
        self.suspend: Callable[[str, str, str], None] = lambda owner_key, task_id, token: None
        self._machines = machines
        self._threads: dict[str, threading.Thread] = {}
        self._suspended: dict[str, threading.Event] = {}

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the work; see `Executor`."""
        machine = self._machines[task.machine]
        thread = threading.Thread(
            target=machine, args=(arguments, partial(self._work, owner_key, task.id)), name=task.id, daemon=True
        )
        # In one step: two calls that are one task may come at the same moment.
        if self._threads.setdefault(task.id, thread) is thread:
            thread.start()

    def stop(self, task: Task, reason: str) -> None:
        """Wake the thread if it sleeps, to find that nothing is left to do; see `Executor`."""
        self.resume(task)

    def resume(self, task: Task) -> None:
        """Wake the thread; see `Executor`."""
        for token in task.tokens:
            if suspended := self._suspended.get(token):
                suspended.set()

    def _work(self, owner_key: str, task_id: str) -> None:
        while (timeout := self.run(owner_key, task_id)) is not None:
            token, answered = secrets.token_urlsafe(), threading.Event()
            self._suspended[token] = answered
            self.suspend(owner_key, task_id, token)
            answered.wait(timeout.total_seconds())
            del self._suspended[token]

    def describe(self, task: Task) -> Execution:
        """Tell whether the thread runs; see `Executor`."""
        thread = self._threads.get(task.id)
        if thread is None:
            return Execution.ABSENT
        return Execution.RUNNING if thread.is_alive() else Execution.ENDED


class ConditionWaiter:
    """Waits on the condition that the memory store notifies after every change."""

    def __init__(self, changed: threading.Condition) -> None:
        """Take the store's condition."""
        self._changed = changed

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        """Open a watch; see `Waiter`."""
        yield self

    def pause(self, at_most: timedelta) -> Waker:
        """Sleep until anything changes; see `Watch`."""
        # A change between the caller's look and this line is not noticed, hence the short guard.
        with self._changed:
            told = self._changed.wait(min(at_most, GUARD).total_seconds())
        return Waker.STREAM if told else Waker.POLL
