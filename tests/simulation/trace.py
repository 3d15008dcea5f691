"""What happened in a story, line by line; tasks are named by the order of their creation."""

from collections import Counter
from datetime import timedelta
from zlib import crc32

from tests.kit import NOON, FixedClock

VIOLATED = "VIOLATED: "
"""How the line of a violation begins."""


class Trace:
    """The lines, how often each kind of thing happened, and a checksum of these and of all that clients received."""

    def __init__(self, clock: FixedClock) -> None:
        self.clock = clock
        self.lines: list[str] = []
        self.counts: Counter[str] = Counter()
        self.recoveries: list[timedelta] = []
        """How soon tasks went on after each long outage."""
        self.depth = 0
        """How many suspended calls there are, within which others act."""
        self._names: dict[str, str] = {}
        self._received = 0

    def say(self, text: str) -> None:
        """Add a line."""
        elapsed = (self.clock.now() - NOON).total_seconds()
        self.lines.append(f"{elapsed:10.3f}  {'| ' * self.depth}{text}")

    def count(self, kind: str) -> None:
        """Count something that happened."""
        self.counts[kind] += 1

    def name(self, task_id: str) -> str:
        """Return the name of a task."""
        return self._names.setdefault(task_id, f"task-{len(self._names) + 1}")

    def receive(self, body: str) -> None:
        """Take what a client received into the checksum."""
        self._received = crc32(body.encode(), self._received)

    def end(self) -> None:
        """Add the checksum as the last line: two stories are the same only if all lines are, and all bytes sent."""
        written = "\n".join(self.lines).encode()
        self.say(f"checksum: {crc32(written, self._received):08x}")

    def tail(self, lines: int = 60) -> str:
        """Return the last lines, and in any case those that lead to the first violation."""
        first = next((place for place, line in enumerate(self.lines) if VIOLATED in line), len(self.lines))
        return "\n".join(self.lines[max(0, first - lines) :])
