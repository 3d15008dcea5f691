"""What must hold of what streams carry, over time: a session is sent what it is to be asked, and how far its calls are.

"The server MUST send each of its JSON-RPC messages on only one of the connected streams" -- 2025-11-25, Transports,
Multiple Connections.  A request that was on a stream whose request its client cancelled is sent on another one: "on the
stream of `tasks/result`, of a plain call, or of a GET" -- docs/tools.md.  "Progress for the task keeps
using the original `progressToken`" -- 2025-11-25, Tasks; that of a plain call is sent on its own stream.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_tasks.security import signing
from mcp_tasks.tasks.model import Task
from mcp_tasks.wire.rev_2025_11_25.deliveries import digest
from mcp_tasks.wire.units import timestamp
from tests.simulation.laws.handles import check_answered
from tests.simulation.reckoning import deadline

if TYPE_CHECKING:
    from tests.simulation.actors.client import Received
    from tests.simulation.laws.streams import OpenStream
    from tests.simulation.world import World


class News(NamedTuple):
    """What became of a stream's task since the stream's first response.

    It is the progress to which it came, if it came further, and its `lastUpdatedAt`, empty if it is the same version,
    when a request for the stream began, which was `at` that time.
    """

    progress: float | None
    updated_at: str
    at: datetime


@dataclass(slots=True)
class Carried:
    """What was sent in all sessions of what their clients are to have."""

    world: "World"
    opened: defaultdict[str, list["OpenStream"]] = field(default_factory=lambda: defaultdict(list))
    """The streams of each session."""
    requests: defaultdict[tuple[str, str], list["OpenStream"]] = field(default_factory=lambda: defaultdict(list))
    """On which streams each input request of a session was sent, by what it asks for."""
    progress: dict[tuple[str, str], float] = field(default_factory=dict)
    """The highest that was sent under each token of a session."""

    statuses: dict[tuple[str, str], str] = field(default_factory=dict)
    """The last `lastUpdatedAt` that a session was told of each task."""

    def begin(self, session: str, stream: "OpenStream", *, silent: bool) -> None:
        """Note how far the task of a stream is that a client opens or resumes."""
        if all(each is not stream for each in self.opened[session]):
            self.opened[session].append(stream)
        stream.serving.append(self._news(stream))
        stream.silenced = stream.silenced or silent

    def send(self, session: str, stream: "OpenStream", response: "Received", resumed: str | None) -> None:
        """Take what is sent, of which progress rises on a stream; who resumes it is sent what was reported before."""
        # A release before does not know what this one has sent.
        reported = {} if self.world.has_a_release_before else stream.reported
        before = {token: progress for token, (progress, at) in reported.items() if at < response.began}
        for message in response.messages:
            match message:
                case {"method": "notifications/progress", "params": {"progressToken": token, "progress": progress}}:
                    rises = progress > before.get(token, -1.0)
                    self.world.demand(rises, f"{token} was sent {before.get(token, 0):g}, and then {progress:g}")
                    before[token] = progress
                    stream.reported[token] = progress, self.world.store.moments
                    known = self.progress.get((session, token), progress)
                    self.progress[session, token] = max(known, progress)
                case {"method": "notifications/tasks/status", "params": {"taskId": task_id, "lastUpdatedAt": at}}:
                    self.statuses[session, task_id] = max(self.statuses.get((session, task_id), ""), at)
                case {"method": str(), "id": str(request_id)}:
                    self.requests[session, asked(request_id)].append(stream)
        if stream.noted is None:
            stream.noted = len(self.world.store.changes)
        # Who is told to come back later, resumes at the same event.
        stream.served = any(place not in (None, resumed) for place, _ in response.events)
        if resumed is not None and stream.served and not stream.answered:
            self._reports(session, stream)
            check_answered(self.world, stream)

    def end(self, stream: "OpenStream") -> None:
        """Note that a request of a stream is over, answered or not."""
        stream.serving.pop()

    def demand_requests(self, session: str, asking: Collection[tuple[str, str]], live: Sequence["OpenStream"]) -> None:
        """Demand that each input request was sent on a stream that its client has not given up.

        Whoever died may have been about to send it on a stream of which the client does not know, or which it has to
        resume again later: another process may believe that its tenant is suspended.
        """
        lost = [each for each in self.opened[session] if each.carries and each.call.failed and not each.let_go]
        excused = any(not each.served or all(each is not stream for stream in live) for each in lost)
        for task_id, key in asking:
            kept = [each for each in self.requests[session, f"{task_id}:{digest(key)}"] if not each.let_go]
            name = f"{key} of {self.world.trace.name(task_id)}"
            self.world.demand(bool(kept) or excused, f"{name} is on no stream that its client has not given up")

    def _news(self, stream: "OpenStream") -> News:
        """Return what there is to tell on a stream now, beside its first response."""
        if stream.noted is None or not stream.about():
            return News(None, "", self.world.clock.now())
        known, reached = self._progress(stream, 0, stream.noted), self._progress(stream, stream.noted, None)
        new = [each.after for each in self.world.store.changes[stream.noted :] if each.task.id == stream.task]
        versions = [timestamp(each.updated_at) for each in new if each is not None]
        progress, updated_at = reached if reached > known else None, versions[-1] if versions else ""
        return News(progress, updated_at, self.world.clock.now())

    def _progress(self, stream: "OpenStream", since: int, until: int | None) -> float:
        """Return the highest progress of a stream's task that was written among these changes, -1 without any."""
        versions = [change.after for change in self.world.store.changes[since:until]]
        found = [each.progress for each in versions if each and each.id == stream.about()]
        return max((each.progress for each in found if each), default=-1.0)

    def _reports(self, session: str, stream: "OpenStream") -> None:
        """Demand that a session was told what there was to tell when one of its streams was resumed.

        Where a process died, or another one is at work, it may be the one that was to send it.  A release before leaves
        it out where another stream was first to tell of a newer version (seed 1300169).
        """
        if self.world.has_a_release_before:
            return
        others = [stream] if stream.task is None else [*self._about(session, stream.task)]
        if any(each.silenced or each.call.failed or len(each.serving) > (each is stream) for each in others):
            return
        news, token, name = stream.serving[-1], self._token(session, stream), self.world.trace.name(stream.about())
        if news.progress is not None and token is not None:
            sent = self.progress.get((session, token), -1.0)
            self.world.demand(sent >= news.progress, f"{name} is at {news.progress:g}, and {token} was sent {sent:g}")
        if news.updated_at:
            told = self.statuses.get((session, str(stream.task)), "") >= news.updated_at
            self.world.demand(told, f"a status of {name} is sent on none of its streams")

    def _about(self, session: str, task_id: str) -> Iterator["OpenStream"]:
        return (each for each in self.opened[session] if each.about() == task_id)

    def _token(self, session: str, stream: "OpenStream") -> Any:
        """Return the progress token of a plain call, or of the call in this session that created the task."""
        if stream.task is None:
            return stream.token
        task = self.world.store.find(stream.task)
        return task.progress_token if task is not None and task.session == session else None


def asked(request_id: str) -> str:
    """Return what a request asks for: its task and its input request."""
    _, _, value = json.loads(signing.decode(request_id.partition(".")[0]))
    return str(value["way"]).partition(":")[2]


def is_over(world: "World", message: Mapping[str, Any]) -> bool:
    """Return whether a message is a request, and what it asks is asked no longer."""
    if not ("method" in message and "id" in message):
        return False
    task_id, _, key = asked(message["id"]).partition(":")
    task, now = world.store.find(task_id), world.clock.now()
    if task is None or not world.store.lives(task):
        return True
    return all(digest(each.key) != key or deadline(task, each) <= now for each in task.open_input_requests)


def asking(tasks: Sequence[Task]) -> set[tuple[str, str]]:
    """Return the open input requests of tasks that their own clients may answer."""
    return {(task.id, each.key) for task in tasks for each in task.open_input_requests if each.approval is None}
