"""Faults, one after another: processes killed, a function throttled, the stream off, all paused; and long outages."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from local.stack import Stack
from tests.soak.background import Background
from tests.soak.outages import Outage, away, recovered
from tests.stack.internals import processes, without_concurrency, without_table_stream

BETWEEN: Final = (10, 40)
"""Seconds from the end of one to the next."""

AFTERMATH: Final = timedelta(seconds=3)
"""How long after a fault something may still fail by it."""

ALL: Final = frozenset({"kill", "throttle", "pause", "stream", "outage"})
FAILING: Final = ALL - {"stream"}
"""The kinds of faults by which a request may fail: while the stream is off, it is served."""

THROTTLED: Final = ("run_tool", "serve_mcp", "on_task_change", "record_outcome", "host_run")


def kill(stack: Stack, random: Random) -> str:
    """Kill all processes of a function, in the midst of whatever they do."""
    found = processes(stack)
    name = random.choice(sorted(set(found.values())))
    for process in (each for each, of in found.items() if of == name):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return f"kill {name}"


def throttle(stack: Stack, random: Random) -> str:
    """Have all invocations of a function refused for some seconds."""
    name = random.choice(THROTTLED)
    with without_concurrency(stack, name):
        time.sleep(random.uniform(1, 6))
    return f"throttle {name}"


def pause(stack: Stack, random: Random) -> str:
    """Stop the emulator for some seconds: every AWS service, the gateway among them."""
    process = stack.emulator.process.pid
    os.kill(process, signal.SIGSTOP)
    try:
        time.sleep(random.uniform(1, 8))
    finally:
        os.kill(process, signal.SIGCONT)
    return "pause"


def lose_stream(stack: Stack, random: Random) -> str:
    """Have no change of the table reach a function for some seconds."""
    with without_table_stream(stack):
        time.sleep(random.uniform(2, 15))
    return "stream off"


FAULTS: Final[tuple[Callable[[Stack, Random], str], ...]] = (kill, kill, throttle, pause, lose_stream)


@dataclass(slots=True, kw_only=True)
class Faults(Background):
    """Causes faults; `happened` has when each began and ended."""

    stack: Stack
    random: Random
    outages: list[Outage]
    """Those to come: each second fault is one of them."""
    recoveries: list[str] = field(default_factory=list)
    happened: list[tuple[datetime, datetime, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def counted(self) -> Counter[str]:
        """How often there was each."""
        return Counter(name for _, _, name in self.happened)

    def beside(self, began: datetime, ended: datetime, *, of: Container[str] = ALL) -> bool:
        """Return whether there was one between two moments, or just before, `of` those of some kinds."""
        kinds = [each for each in self.happened if each[2].partition(" ")[0] in of]
        return any(first <= ended and last + AFTERMATH >= began for first, last, _ in kinds)

    def run(self) -> None:
        """Cause one after another."""
        while not self.ends.wait(self.random.uniform(*BETWEEN)):
            began = datetime.now(UTC)
            try:
                is_long = self.outages and len(self.happened) % 2 == 0
                name = self._be_away() if is_long else self.random.choice(FAULTS)(self.stack, self.random)
            except Exception as error:  # noqa: BLE001  # the soak goes on, and says at the end that this was no fault
                self.wrong.append(f"a fault failed: {type(error).__name__}: {error}")
                continue
            self.happened.append((began, datetime.now(UTC), name))

    def _be_away(self) -> str:
        outage = self.outages.pop()
        with away(self.stack, outage.services):
            time.sleep(outage.seconds)
        seconds = recovered(self.stack)
        if seconds is None:
            self.wrong.append(f"tasks did not go on after the {outage}")
        else:
            self.recoveries.append(f"{outage}: {seconds:.0f} s")
        return str(outage)
