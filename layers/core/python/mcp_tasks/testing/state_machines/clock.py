"""A virtual clock for the handlers and for moto's state machines: it stands still until a test advances it.

Rule 1: a thread of the harness is either running or waiting here, for a span of this time, for a condition, or for
both.  The harness is *idle* when each of its threads waits for something that has not come.

Rule 2: time moves only while the harness is idle, to one deadline after the other, never past one.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol


class ExecutionClock(Protocol):
    """What the executions of moto's state machines go by: virtual time in tests, real time in `make serve`.

    `left` counts the threads that have ended.
    """

    left: int

    def now(self) -> datetime:
        """Return the time."""

    def wait(self, duration: timedelta | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Block the calling thread until `until()`, at most for `duration`; return whether `until()` holds."""

    def enter(self, thread: threading.Thread) -> None:
        """Count a thread in, before it starts."""

    def leave(self, thread: threading.Thread) -> None:
        """Count a thread out, as the last thing it does."""

    def notify(self) -> None:
        """Have every waiting thread evaluate its condition again."""


LONGEST_RUN = 30.0
"""Seconds of real time that the harness may stay busy before `HarnessHangs` fails the test."""


class HarnessHangs(Exception):
    """A thread of the harness is busy with something that neither ends nor waits for the harness's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What one thread waits for: the first of a deadline and a condition."""

    deadline: datetime | None
    until: Callable[[], bool]


class HarnessClock:
    """The harness's time, and what each of its threads waits for."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        """Begin at `start`; `left` counts the threads that have ended."""
        self._now = start
        self._changed = threading.Condition()
        self._actors: set[threading.Thread] = set()
        self._waits: dict[threading.Thread, Wait] = {}
        self.left = 0

    def now(self) -> datetime:
        """Return the harness's time."""
        return self._now

    def sleep(self, duration: timedelta, until: Callable[[], bool] = lambda: False) -> None:
        """Block a thread of the harness until others advance the time; any other caller advances it itself."""
        if threading.current_thread() in self._actors:
            self.wait(duration, until)
        else:
            self.advance(self._now + duration)

    def wait(self, duration: timedelta | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Block the calling thread until `until()`, at most for `duration`; return whether `until()` holds."""
        wait = Wait(deadline=None if duration is None else self._now + duration, until=until)
        with self._changed:
            self._waits[threading.current_thread()] = wait
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_over(wait))
            del self._waits[threading.current_thread()]
        return until()

    def enter(self, thread: threading.Thread) -> None:
        """Count a thread as part of the harness, before it starts."""
        with self._changed:
            self._actors.add(thread)

    def leave(self, thread: threading.Thread) -> None:
        """Count a thread out, as the last thing it does."""
        with self._changed:
            self._actors.discard(thread)
            self.left += 1
            self._changed.notify_all()

    def notify(self) -> None:
        """Have every waiting thread evaluate its condition again."""
        with self._changed:
            self._changed.notify_all()

    def advance(self, target: datetime) -> None:
        """Move the time to `target`, and wake each thread at its deadline on the way."""
        self.run_until_idle()
        while (moment := self.next_deadline()) is not None and moment <= target:
            self.move(moment)
            self.run_until_idle()
        self.move(target)
        self.run_until_idle()

    def move(self, moment: datetime) -> None:
        """Set the time to `moment`, which may not be past the next deadline."""
        with self._changed:
            self._now = max(self._now, moment)
            self._changed.notify_all()

    def next_deadline(self) -> datetime | None:
        """Return the earliest deadline of all waiting threads."""
        with self._changed:
            return min((wait.deadline for wait in self._waits.values() if wait.deadline), default=None)

    def run_until_idle(self) -> None:
        """Return when every thread of the harness waits; raises `HarnessHangs`."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._busy(), timeout=LONGEST_RUN):
                names = ", ".join(sorted(thread.name for thread in self._busy()))
                raise HarnessHangs(f"still busy after {LONGEST_RUN:.0f} s of real time: {names}")

    def _busy(self) -> list[threading.Thread]:
        return [actor for actor in self._actors if actor not in self._waits or self._is_over(self._waits[actor])]

    def _is_over(self, wait: Wait) -> bool:
        return wait.until() or (wait.deadline is not None and wait.deadline <= self._now)
