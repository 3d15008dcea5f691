"""What a process of `await_task` takes on the emulator: memory, CPU time, and by how much who waits hears late."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from local.emulator import EXAMPLES
from local.http_client import HttpClient
from local.stack import Stack, running_stack
from mcp_tasks.testing.rev_2025_11_25 import TASKS, Client
from tests.cost.prices import FULL_CPU_MB
from tests.cost.stage import settings_of
from tests.stack.internals import stream_read_elsewhere
from tests.timeout import until

TOOLS: Final = "tests.held.sample_tools"
HANDLER: Final = b"functions.await_task.handler"
TICK: Final = 1000 / os.sysconf("SC_CLK_TCK")

LARGEST: Final[Mapping[str, int]] = {"letters": 2_490_000, "signs": 2_490_000, "rows": 32_000, "lists": 350_000}
"""How much each tool returns: just less than the 2.5 MB of JSON that a result may have."""

TIMES: Final = 3
WORK_SECONDS: Final = 3
RECORDS: Final = 1_000
"""As many as one read of a stream could return, of which a waiter reads fewer at a time."""

BESIDE: Final = 42
"""Megabytes that Lambda takes beside the process: a function that does nothing reports 31 to 39, of which 13 are its
process, and X-Ray's daemon may take 16 (AWS's documentation)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a process took meanwhile: megabytes at the most, and milliseconds of CPU time each time."""

    peak: float
    cpu: float
    late: tuple[float, ...] = ()
    """By how many seconds a client heard of each task's end late."""


@dataclass(slots=True, kw_only=True)
class Waiting:
    """The function that holds connections, of a stack whose tools are those of `tests.held`."""

    stack: Stack
    client: Client
    cpu_before: float = field(default=0, init=False)

    def measured(self, waits: int = 2) -> Iterator[tuple[str, Taken]]:
        """Yield what each of these takes, one after another in one process, which is held so many times."""
        yield "started, and has answered at once", self._taken(partial(self._fetch, "letters", 10), 1)
        yield "held, reading the stream", self._taken(self._waits, waits)
        with ThreadPoolExecutor() as pool:
            yield f"the same, with {RECORDS:,} records", self._taken(lambda: self._wait_beside_writes(pool), 1)
        with stream_read_elsewhere(self.stack):
            yield "held, reading the task", self._taken(self._waits, waits)
        for tool, count in LARGEST.items():
            yield f"answers with 2.5 MB of {tool}", self._taken(partial(self._fetch, tool, count), TIMES)

    def _taken(self, act: Callable[[], object], times: int) -> Taken:
        for process in self._processes():
            # Forgets the most that the process ever had.
            (process / "clear_refs").write_text("5")
        late = [each for _ in range(times) if isinstance(each := act(), float)]
        (process,) = self._processes()
        cpu = _cpu(process)
        before, self.cpu_before = self.cpu_before, cpu
        return Taken(peak=_megabytes(process, "VmHWM"), cpu=(cpu - before) / times, late=tuple(late))

    def _processes(self) -> list[Path]:
        return [each for each in Path("/proc").glob("[0-9]*") if self._is_waiter(each)]

    def _is_waiter(self, process: Path) -> bool:
        try:
            environment = (process / "environ").read_bytes()
            return HANDLER in (process / "cmdline").read_bytes() and self.stack.emulator.url.encode() in environment
        except OSError:
            return False

    def _fetch(self, tool: str, count: int) -> None:
        """Fetch a result by a GET that is answered at once, since its task is done by then."""
        task = self.client.start_task(tool, {"count": count})
        first = self.client.send_request("tasks/result", {"taskId": task.id})
        until(lambda: self.client.get_task(task.id).status != "working", within=120, pause=0.1)
        result, replies = self.client.follow(first)
        assert len(replies) > 1
        assert not result["result"]["isError"]

    def _waits(self) -> float:
        return self._wait(WORK_SECONDS)

    def _wait(self, seconds: float) -> float:
        task = self.client.start_task("work", {"seconds": seconds})
        self.client.outcome(task.id)
        heard = datetime.now(UTC)
        return (heard - datetime.fromisoformat(self.client.get_task(task.id).result["lastUpdatedAt"])).total_seconds()

    def _wait_beside_writes(self, pool: ThreadPoolExecutor) -> None:
        writing = pool.submit(self._write)
        self._wait(3 * WORK_SECONDS)
        writing.result()

    def _write(self) -> None:
        """Write items of the size of a task, which no one waits for."""
        # The connection is held by then, and nothing outside of its process says when it begins to be.
        time.sleep(WORK_SECONDS / 2)
        table, name = self.stack.client("dynamodb"), self._table_name()
        attributes = {f"a{number}": {"S": "x" * 50} for number in range(15)}
        for first in range(0, RECORDS, 25):
            items = ({"PK": {"S": "other"}, "SK": {"S": str(first + each)}, **attributes} for each in range(25))
            table.batch_write_item(RequestItems={name: [{"PutRequest": {"Item": item}} for item in items]})

    def _table_name(self) -> str:
        (name,) = self.stack.client("dynamodb").list_tables()["TableNames"]
        return str(name)


def _megabytes(process: Path, name: str) -> float:
    lines = (process / "status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def _cpu(process: Path) -> float:
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


@contextmanager
def waiting() -> Iterator[Waiting]:
    """Deploy the stack with tools whose results are large."""
    with running_stack(app=EXAMPLES, tools=TOOLS) as stack:
        send = HttpClient(stack.url, stack.token("acme", "ada")).send
        yield Waiting(
            stack=stack,
            client=Client(send, capabilities=TASKS, sleep=lambda duration: time.sleep(duration.total_seconds())),
        )


def memory_of(stack: Stack) -> int:
    """Return the memory that the template gives the function."""
    return int(settings_of(stack)["memory"]["await_task"])


def peak_of(waiting: Waiting) -> float:
    """Return what a process takes at the most, in megabytes."""
    return max(taken.peak for _, taken in waiting.measured())


def lines() -> Iterator[str]:
    """Yield what `make bench` prints."""
    with waiting() as found:
        memory = memory_of(found.stack)
        share = FULL_CPU_MB / memory
        yield (
            f"\nA process of await_task: MB at the most, of {memory} less {BESIDE} for what Lambda runs beside it; "
            "CPU ms each time, and what that takes there"
        )
        for name, taken in found.measured(waits=12):
            late = f"   late by {statistics.fmean(taken.late):.2f} s" if taken.late else ""
            yield f"  {name:<38} {taken.peak:6.1f}   {taken.cpu:6.0f} {taken.cpu * share:8.0f}{late}"
