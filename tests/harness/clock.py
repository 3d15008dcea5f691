"""The time on the harness: it stands still until a test moves it, for the handlers and for the state machines alike.

Rule 1: a thread of the harness is either busy or held here.  It is held for a span of this time, until a condition
comes true, or both; so the harness is *settled* when each of its threads is held by something that has not come.

Rule 2: time moves only while the harness is settled, one deadline after the other, never past one.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

LONGEST_RUN = 30.0
"""Seconds of real time that the harness may stay busy before a test is told that it hangs."""


class HarnessHangs(Exception):
    """A thread of the harness is busy with something that neither ends nor waits for the harness's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What one thread is held by."""

    deadline: datetime | None
    until: Callable[[], bool]


class HarnessClock:
    """The harness's time, and the book of who is waiting for what."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        """Begin at `start`; `left` is how many threads have left the harness."""
        self._now = start
        self._news = threading.Condition()
        self._actors: set[threading.Thread] = set()
        self._holds: dict[threading.Thread, Hold] = {}
        self.left = 0

    def now(self) -> datetime:
        """Return the harness's time."""
        return self._now

    def sleep(self, duration: timedelta, until: Callable[[], bool] = lambda: False) -> None:
        """Hold a thread of the harness; for any other caller let the time pass, as nobody else would."""
        if threading.current_thread() in self._actors:
            self.max_hold(duration, until)
        else:
            self.advance(self._now + duration)

    def max_hold(self, duration: timedelta | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Hold the calling thread until `until()`, at most for `duration`; tells whether `until()` came."""
        max_hold = Hold(deadline=None if duration is None else self._now + duration, until=until)
        with self._news:
            self._holds[threading.current_thread()] = max_hold
            self._news.notify_all()
            self._news.wait_for(lambda: self._is_over(max_hold))
            del self._holds[threading.current_thread()]
        return until()

    def enter(self, thread: threading.Thread) -> None:
        """Count a thread as part of the harness, before it starts."""
        with self._news:
            self._actors.add(thread)

    def leave(self, thread: threading.Thread) -> None:
        """Count a thread out, as the last thing it does."""
        with self._news:
            self._actors.discard(thread)
            self.left += 1
            self._news.notify_all()

    def tell(self) -> None:
        """Have everybody who is held look again."""
        with self._news:
            self._news.notify_all()

    def advance(self, target: datetime) -> None:
        """Let it be `target`, and everybody wake on the way whose time has come."""
        self.settle()
        while (moment := self.next_deadline()) is not None and moment <= target:
            self.move(moment)
            self.settle()
        self.move(target)
        self.settle()

    def move(self, moment: datetime) -> None:
        """Let it be `moment`."""
        with self._news:
            self._now = max(self._now, moment)
            self._news.notify_all()

    def next_deadline(self) -> datetime | None:
        """Return the first moment that somebody waits for."""
        with self._news:
            return min((max_hold.deadline for max_hold in self._holds.values() if max_hold.deadline), default=None)

    def settle(self) -> None:
        """Come back when every thread of the harness is held; raises `HarnessHangs`."""
        with self._news:
            if not self._news.wait_for(lambda: not self._busy(), timeout=LONGEST_RUN):
                names = ", ".join(sorted(thread.name for thread in self._busy()))
                raise HarnessHangs(f"still busy after {LONGEST_RUN:.0f} s of real time: {names}")

    def _busy(self) -> list[threading.Thread]:
        return [actor for actor in self._actors if actor not in self._holds or self._is_over(self._holds[actor])]

    def _is_over(self, max_hold: Hold) -> bool:
        return max_hold.until() or (max_hold.deadline is not None and max_hold.deadline <= self._now)
