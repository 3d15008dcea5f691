"""Who wants to hear of changes at which addresses; and the waiting for them, and for tasks, in one.

A tool posts that something changed, for all callers of its tenant.  A session remembers what it was told, so that
each change is told on one of its streams only; a request that listens by itself compares with what it found first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.ports import Board, SessionStore
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.model import Task
from mcp_tasks.tenancy import Caller

LIFETIME = timedelta(days=7)
"""How long a subscription lasts that nobody ends: as long as a session is likely to be kept alive."""

MOST = 50
"""Of one session, or of one request."""

BETWEEN_LOOKS = timedelta(seconds=2)


class TooManySubscriptions(Exception):
    """The session watches as many addresses as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriptions:
    """The sentences that can be said of subscriptions."""

    store: SessionStore
    board: Board
    tasks: TaskService

    def post(self, caller: Caller, uri: str) -> None:
        """Note that what is at the address changed."""
        self.board.post(caller.scope, uri)

    def begin(self, caller: Caller, session_id: str, uri: str) -> None:
        """Let a session hear of changes at the address from now on; raises `TooManySubscriptions`."""
        known = self.store.subscriptions(caller.scope, session_id)
        if uri in known:
            return
        if len(known) >= MOST:
            raise TooManySubscriptions
        seen = self.board.version(caller.scope, uri)
        self.store.subscribe(caller.scope, session_id, uri, seen, self.tasks.now() + LIFETIME)

    def end(self, caller: Caller, session_id: str, uri: str) -> None:
        """Let a session hear no more of the address."""
        self.store.unsubscribe(caller.scope, session_id, uri)

    def any(self, caller: Caller, session_id: str) -> bool:
        """Tell whether a session watches anything."""
        return bool(self.store.subscriptions(caller.scope, session_id))

    def news_for_session(
        self, caller: Caller, session_id: str, *, patience: timedelta, until: Callable[[], bool] = lambda: False
    ) -> list[str]:
        """Return the addresses at which something changed that no other stream of the session tells.

        Comes back once there are any, or perhaps with none: as soon as `until` says so, or when patience ends.
        """
        deadline = self.tasks.now() + patience
        while True:
            known = self.store.subscriptions(caller.scope, session_id)
            found = [
                uri
                for uri, version in self._newer(caller, known).items()
                if self.store.claim(caller.scope, session_id, uri, version)
            ]
            left = deadline - self.tasks.now()
            if found or left <= timedelta() or until():
                return found
            self.tasks.news(caller, {}, patience=min(left, BETWEEN_LOOKS))

    def versions(self, caller: Caller, uris: Sequence[str]) -> dict[str, int]:
        """Return what a listener compares with, for each address."""
        return {uri: self.board.version(caller.scope, uri) for uri in uris}

    def news(
        self, caller: Caller, tasks: Mapping[str, int], uris: Mapping[str, int], *, patience: timedelta
    ) -> tuple[list[Task], list[str]]:
        """Return the tasks and the addresses that are newer than their version here, once there are any."""
        deadline = self.tasks.now() + patience
        while True:
            left = deadline - self.tasks.now()
            newer = self.tasks.news(caller, tasks, patience=min(left, BETWEEN_LOOKS) if uris else left)
            changed = list(self._newer(caller, uris))
            if newer or changed or self.tasks.now() >= deadline:
                return newer, changed

    def _newer(self, caller: Caller, known: Mapping[str, int]) -> dict[str, int]:
        found = self.versions(caller, list(known))
        return {uri: version for uri, version in found.items() if version > known[uri]}
