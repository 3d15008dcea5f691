"""A replacement for `threading` by which moto's state machines wait on our clock."""

import threading
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from mcp_tasks.testing.state_machines.clock import ExecutionClock

Abandoned = Callable[[tuple[Any, ...]], bool]


def threads_of(clock: ExecutionClock, is_abandoned: Abandoned = lambda args: False) -> SimpleNamespace:
    """Return a replacement for the module `threading`, as far as moto's state machines use it.

    A thread whose arguments make `is_abandoned` true is not waited for any longer.
    """

    class Event(threading.Event):
        def set(self) -> None:
            super().set()
            clock.notify()

        def wait(self, timeout: float | None = None) -> bool:
            return clock.wait(_span(timeout), until=self.is_set)

    class Thread(threading.Thread):
        def __init__(self, *, args: tuple[Any, ...] = (), **options: Any) -> None:
            # A process that ends waits for no execution.
            super().__init__(args=args, **{"daemon": True, **options})
            self._given = args
            self._left = False

        def start(self) -> None:
            clock.enter(self)
            super().start()

        def run(self) -> None:
            try:
                super().run()
            finally:
                self._left = True
                clock.leave(self)

        def join(self, timeout: float | None = None) -> None:
            clock.wait(_span(timeout), until=lambda: not self.is_alive())

        def is_alive(self) -> bool:
            return not self._left and not is_abandoned(self._given)

    return SimpleNamespace(Event=Event, Thread=Thread, Lock=threading.Lock, RLock=threading.RLock)


def _span(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)
