"""Clients that use a server without a pause, each in one way, and check every answer."""

import re
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import cycle, islice
from threading import Event, Lock, Thread
from typing import Any, Final, TypeAlias

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.testing.client import Client, Task, Transport
from mcp_tasks.wire.http import HttpReply, HttpRequest

SERVER_INFO: Final = re.compile(r'serverInfo": ?\{[^}]*"version": ?"([^"]+)"')
LONGEST_PAUSE: Final = 0.25

AT_ONCE: Final = 2
"""How many uses of a revision are under way at a time: each is a process or more, and each deploy starts all anew."""

Use: TypeAlias = Callable[["User", int], None]
"""Uses the server in one way, for the n-th time, and raises `AssertionError` where an answer is not right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Who uses the server, as a tenant of its own; `client` makes a client from its transport."""

    name: str
    load: "Load"
    client: Callable[[Transport], Any]

    def connected(self, subject: str = "ada") -> Any:
        """Return a new client of a subject."""
        return self.client(self.load.transport(self.name, subject))

    def started(self, client: Client, tool: str, **arguments: Any) -> Task:
        """Start a task, which has to be `completed` in the end."""
        return self.load.keep(self.name, client.start_task(tool, arguments))


@dataclass(slots=True, kw_only=True)
class Load:
    """What clients did so far, and what they found that is not right."""

    stack: Stack
    done: Counter[str] = field(default_factory=Counter)
    """How often each use came to its end."""

    answers: Counter[str] = field(default_factory=Counter)
    """How many answers name each version of the code as that of the server."""

    tasks: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The tenant of each task, and the status that it has in the end, by its id."""

    failures: list[str] = field(default_factory=list)
    _ending: Event = field(default_factory=Event)
    _lock: Lock = field(default_factory=Lock)

    def transport(self, tenant: str, subject: str) -> Transport:
        """Return what sends requests of a subject, and fails where it gets no answer of the server's own."""
        http = HttpClient(self.stack.url, self.stack.token(tenant, subject))

        def send(request: HttpRequest) -> HttpReply:
            reply = http.send(request)
            assert reply.status in (200, 202, 204), f"{request.method} {request.body!r}: {reply.status} {reply.body}"
            with self._lock:
                self.answers.update(SERVER_INFO.findall(reply.body))
            return reply

        return send

    def keep(self, tenant: str, task: Task, status: str = "completed") -> Task:
        """Note the status that a task has in the end."""
        self.tasks[task.id] = (tenant, status)
        return task

    @contextmanager
    def running(self, name: str, uses: Mapping[str, Use], client: Callable[[Transport], Any]) -> Iterator[None]:
        """Have `AT_ONCE` threads go round the uses, until the context ends and all have come to their end."""
        users = [User(name=f"{name}-{number}", load=self, client=client) for number in range(AT_ONCE)]
        threads = []
        for number, user in enumerate(users):
            first = number * len(uses) // AT_ONCE
            turns = islice(cycle(uses.items()), first, None)
            threads.append(Thread(target=self._go_round, args=(user, turns), name=user.name))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ending.set()
            for thread in threads:
                thread.join()

    def _go_round(self, user: User, uses: Iterator[tuple[str, Use]]) -> None:
        for turn, (name, use) in enumerate(uses, 1):
            if self._ending.is_set():
                return
            try:
                use(user, turn)
            except Exception:  # noqa: BLE001 - whatever a client meets is to be seen
                self.failures.append(f"{name}, turn {turn} of {user.name}: {traceback.format_exc()}")
            with self._lock:
                self.done[name] += 1


def pause(interval: timedelta) -> None:
    """Wait between two polls as long as the server says, but not longer than a test wants to."""
    time.sleep(min(interval.total_seconds(), LONGEST_PAUSE))
