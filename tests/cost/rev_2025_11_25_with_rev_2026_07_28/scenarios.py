"""What is counted: each scenario does one thing on the emulator, by a client of the repository."""

import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, partial
from typing import Any

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing import rev_2025_11_25, rev_2026_07_28
from mcp_tasks.testing.client import RESPONDS, Client
from tests.cost.outages import retries_within
from tests.cost.sample_tools import text
from tests.cost.stage import settings_of
from tests.cost.usage import Counts, Meter, less
from tests.stack.internals import stream_read_elsewhere
from tests.stack.tenants import shown

TIMES = 3
MINUTE = 60
WAITS = (1, 10, 60)
KB = 1024
SIZES = {"1 KB": KB, "96 KB": 96 * KB, "1 MB": 1024 * KB}
NARROW = "narrow"
WAITERS = ("serve_mcp", "await_task")
"""The functions that serve who waits; what others do meanwhile is the task's."""


@dataclass(kw_only=True)
class Scenarios:
    """Everything that is counted, of one stack."""

    stack: Stack
    meter: Meter
    old: rev_2025_11_25.Client
    new: rev_2026_07_28.Client

    @classmethod
    def of(cls, stack: Stack) -> "Scenarios":
        """Return those of a stack, with its functions warm."""
        made = cls(
            stack=stack,
            meter=Meter(stack=stack, settings=settings_of(stack)),
            old=_client(stack, rev_2025_11_25.Client),
            new=_client(stack, rev_2026_07_28.Client),
        )
        made.new.call_tool("answer")
        made.new.start_task("walk", {"steps": 1}).wait()
        made._answered()
        made.old.outcome(made.old.start_task("work", {"seconds": 4}).id)
        return made

    def all(self) -> Mapping[str, Callable[[], Counts]]:
        """Return what counts each of them, by its name."""
        return {**self.calls(), **self.tasks(), **self.beyond(), **self.waits()}

    def calls(self) -> Mapping[str, Callable[[], Counts]]:
        """Return those of calls that are no tasks, and of a session."""
        done = self.old.start_task("make", {"size": KB}).id
        return {
            "authorize": lambda: {**self._each(self._as_stranger, ["authorize"]), "requests": 0, "bytes_out": 0},
            "session": lambda: self._each(self.old.initialize),
            "tools/list 2025-11-25": lambda: self._each(lambda: self.old.request("tools/list", {})),
            "tools/list 2026-07-28": lambda: self._each(lambda: self.new.request("tools/list", {})),
            "inline call 2025-11-25": lambda: self._each(lambda: self.old.call_tool("answer")),
            "inline call 2026-07-28": lambda: self._each(lambda: self.new.call_tool("answer")),
            "tasks/get 2025-11-25": lambda: self._each(lambda: self.old.get_task(done)),
            "tasks/get 2026-07-28": lambda: self._each(lambda: self.new.get_task(done)),
        }

    def tasks(self) -> Mapping[str, Callable[[], Counts]]:
        """Return those of tasks, by the size of what they return, and of reading that."""
        given, call = text(96 * KB), {"name": "make", "arguments": {"size": KB}}
        return {
            **{f"task {name}": partial(self._started, "make", size=size) for name, size in SIZES.items()},
            **{f"result {name}": partial(self._fetched, size) for name, size in SIZES.items()},
            "task 1 KB direct": partial(self._started, "make_direct", size=KB),
            "task 96 KB given": partial(self._started, "take", given=given),
            "task 1 KB 2026-07-28": lambda: self._each(lambda: self.new.send_request("tools/call", call)),
        }

    def beyond(self) -> Mapping[str, Callable[[], Counts]]:
        """Return what a task costs beyond one that does nothing: its question, sleep, step, report, or turn."""
        return {
            "question": lambda: less(self._each(self._answered), self.plain),
            "sleep": lambda: less(self._each(self._slept), self.plain),
            "step 1 KB": lambda: less(self._started("walk", steps=10), self.plain, 10),
            "progress": lambda: less(self._started("report", times=5), self.plain, 5),
            "queued": lambda: less(less(self._each(self._queued), self.plain), self.plain),
            "outage 1 h": self._retried,
            "inline wait 3 s": lambda: less(self._each(self._outlasted, WAITERS), self.plain),
        }

    def waits(self) -> Mapping[str, Callable[[], Counts]]:
        """Return those of waiting for a task of whose end nothing is known, and of listening for a minute.

        Of many who wait one process reads the table's stream, and the others the task.
        """
        return {
            "wait 30 s reading the stream": lambda: self._waited(self.old, 30),
            **{f"wait {seconds} s": partial(self._waited_in_a_crowd, self.old, seconds) for seconds in WAITS},
            **{f"polled {seconds} s": partial(self._waited_in_a_crowd, self.new, seconds) for seconds in WAITS},
            "wait 60 s known": partial(self._waited_in_a_crowd, self.old, 60, "work_a_minute", {}),
            "polled 60 s known": partial(self._waited_in_a_crowd, self.new, 60, "work_a_minute", {}),
            "listening 1 min": lambda: self.meter.during(partial(_listen, self.old), WAITERS),
            "watching 1 min": lambda: self.meter.during(partial(_listen, self._watching()), WAITERS),
        }

    @cached_property
    def plain(self) -> Counts:
        """Return the counts of a task that does nothing."""
        return self._started("walk", steps=0)

    def _each(self, act: Callable[[], object], only: Collection[str] = ()) -> Counts:
        return self.meter.each(act, TIMES, only)

    def _retried(self) -> Counts:
        """Return the retries of an hour's outage, by the definition that is deployed."""
        states = self.stack.client("stepfunctions")
        machines = states.list_state_machines()["stateMachines"]
        (arn,) = (each["stateMachineArn"] for each in machines if each["name"].endswith("run_tool"))
        definition = json.loads(states.describe_state_machine(stateMachineArn=arn)["definition"])
        retry = definition["States"]["Run"]["Retry"][0]
        return {
            "requests": 0,
            "bytes_out": 0,
            "functions": {},
            "transitions": retries_within(timedelta(hours=1), retry),
        }

    def _started(self, tool: str, **arguments: JSON) -> Counts:
        return self._each(lambda: self.old.start_task(tool, arguments))

    def _fetched(self, size: int) -> Counts:
        done = self.old.start_task("make", {"size": size}).id
        self.meter.work_done()
        return self._each(lambda: self.new.get_task(done))

    def _outlasted(self) -> None:
        """Have a client without tasks call a tool that takes longer than the call waits."""
        self.plainly.call_tool("work", {"seconds": 5})

    def _queued(self) -> None:
        """Start a task that waits for its turn until another one has ended."""
        self.narrow.start_task("work", {"seconds": 3})
        self.narrow.start_task("walk", {"steps": 0})
        self.meter.work_done()

    @cached_property
    def plainly(self) -> Client:
        """Return a client without tasks, in a session."""
        client: Client = _client(self.stack, rev_2025_11_25.Client, capabilities={})
        client.request("tools/list", {})
        return client

    @cached_property
    def narrow(self) -> Client:
        """Return a client whose subject runs one task at a time.

        Were it the tenant that does, the price would depend on which of its counters has the slot, and which the task.
        """
        shown(self.stack, NARROW, "--set", "running_tasks=40 subject_share=0.025")
        client: Client = _client(self.stack, rev_2025_11_25.Client, tenant=NARROW)
        client.request("tools/list", {})
        return client

    def _answered(self) -> None:
        """Have a client find out what a task asks by one request, and answer by another."""
        task = self.new.task(self.old.start_task("ask").id)
        self.meter.wait_until_idle()
        (question,) = task.input_requests
        question.accept(name="Ada")
        self.meter.work_done()

    def _as_stranger(self) -> None:
        """Send a request with a token that the gateway has not seen."""
        token = self.stack.token("acme", "ada", seen=time.time())
        client = rev_2026_07_28.Client(HttpClient(self.stack.url, token).send)
        client.request("tools/list", {})

    def _slept(self) -> None:
        self.old.start_task("doze")
        self.meter.wait_until_idle()
        self.meter.work_done()

    def _waited(
        self, client: Any, seconds: int, tool: str = "work", arguments: Mapping[str, JSON] | None = None
    ) -> Counts:
        """Return what a wait costs, from when the task was started to its end."""
        task = client.task(self.old.start_task(tool, {"seconds": seconds} if arguments is None else arguments).id)
        self.meter.wait_until_written(WAITERS)
        return self.meter.during(task.wait if client is self.new else lambda: self.old.outcome(task.id), WAITERS)

    def _waited_in_a_crowd(self, *wait: Any) -> Counts:
        with stream_read_elsewhere(self.stack):
            return self._waited(*wait)

    def _watching(self) -> rev_2025_11_25.Client:
        client: rev_2025_11_25.Client = _client(self.stack, rev_2025_11_25.Client)
        client.request("resources/subscribe", {"uri": "cost://watched"})
        return client


def _listen(client: rev_2025_11_25.Client) -> None:
    """Listen on a stream of the server for a minute, as its `retry` says."""
    ends, place = time.monotonic() + MINUTE, None
    while (left := ends - time.monotonic()) > 0:
        reply = client.resume(place)
        place = reply.last_event_id
        time.sleep(min(max((event.retry or 0 for event in reply.events), default=0) / 1000, max(left, 0)))


def _client(stack: Stack, kind: Any, *, tenant: str = "acme", capabilities: Mapping[str, Any] | None = None) -> Any:
    tasks = rev_2026_07_28.TASKS if kind is rev_2026_07_28.Client else rev_2025_11_25.TASKS
    return kind(
        HttpClient(stack.url, stack.token(tenant, "ada")).send,
        capabilities={**RESPONDS, **tasks} if capabilities is None else capabilities,
        sleep=lambda duration: time.sleep(duration.total_seconds()),
    )
