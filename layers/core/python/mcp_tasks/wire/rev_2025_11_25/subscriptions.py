"""What a session wants to hear of: addresses, tasks that it follows, and elicitations whose end it awaits.

The store remembers what a session was told, so that each change is told on one of its streams only.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.authoring.elicitations import completion, named_by
from mcp_tasks.engine.subscriptions import BETWEEN_READS, Subscriptions
from mcp_tasks.limits.requests import MAX_SUBSCRIPTIONS
from mcp_tasks.limits.waits import SUBSCRIPTION_LIFETIME
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import NewerSchema, TaskNotFound
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire.rev_2025_11_25.ports import SessionStore


class TooManySubscriptions(Exception):
    """The session watches as many addresses as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSubscriptions(Subscriptions):
    """Remembers what each session wants to hear of, and tells each change once a session."""

    store: SessionStore

    def subscribe(self, caller: Caller, session_id: str, uri: str) -> None:
        """Let a session hear of changes at the address from now on; raises `TooManySubscriptions`."""
        known = self.store.subscriptions(caller.owner_key, session_id)
        if uri in known:
            return
        if len(known) >= MAX_SUBSCRIPTIONS:
            raise TooManySubscriptions
        seen = self.change_feed.version(caller.owner_key, uri)
        self.store.subscribe(caller.owner_key, session_id, uri, seen, self.tasks.now() + SUBSCRIPTION_LIFETIME)

    def unsubscribe(self, caller: Caller, session_id: str, uri: str) -> None:
        """Let a session hear no more of the address."""
        self.store.unsubscribe(caller.owner_key, session_id, uri)

    def watches_any(self, caller: Caller, session_id: str) -> bool:
        """Tell whether a session watches anything."""
        return bool(self.store.subscriptions(caller.owner_key, session_id))

    def updated_uris(
        self, caller: Caller, session_id: str, *, timeout: timedelta, until: Callable[[], bool] = lambda: False
    ) -> list[str]:
        """Return the addresses at which something changed that no other stream of the session tells.

        Comes back once there are any, or perhaps with none: as soon as `until` says so, or when patience ends.
        """
        deadline = self.tasks.now() + timeout
        while True:
            known = self.store.subscriptions(caller.owner_key, session_id)
            found = [
                uri
                for uri, version in self.newer(caller, known).items()
                if self.store.claim(caller.owner_key, session_id, uri, version)
            ]
            left = deadline - self.tasks.now()
            if found or left <= timedelta() or until():
                return found
            self.tasks.updates(caller, {}, timeout=min(left, BETWEEN_READS))

    def follow(self, caller: Caller, session_id: str, task: Task) -> None:
        """Let a session hear of what becomes of a task from this version on, unless it follows too many."""
        name = _followed_tasks(session_id)
        if len(self.store.subscriptions(caller.owner_key, name)) < MAX_SUBSCRIPTIONS:
            self.store.subscribe(
                caller.owner_key, name, task.id, task.version, self.tasks.now() + SUBSCRIPTION_LIFETIME
            )

    def has_task_updates(self, caller: Caller, session_id: str) -> bool:
        """Tell whether there is news of a task that the session follows."""
        followed = self.store.subscriptions(caller.owner_key, _followed_tasks(session_id))
        return any(
            task is not None and task.version > followed[task_id] for task_id, task in self._found(caller, followed)
        )

    def task_updates(self, caller: Caller, session_id: str) -> Iterator[Task]:
        """Yield the tasks of which there is news that no other stream of the session tells."""
        name = _followed_tasks(session_id)
        followed = self.store.subscriptions(caller.owner_key, name)
        for task_id, task in self._found(caller, followed):
            newer = task is not None and task.version > followed[task_id]
            if task is not None and newer and self.store.claim(caller.owner_key, name, task_id, task.version):
                yield task
            if task is None or is_final(task):
                self.store.unsubscribe(caller.owner_key, name, task_id)

    def _found(self, caller: Caller, task_ids: Iterable[str]) -> Iterator[tuple[str, Task | None]]:
        for task_id in task_ids:
            try:
                yield task_id, self.tasks.get(caller, task_id)
            except TaskNotFound:
                yield task_id, None
            except NewerSchema:
                # Still followed: a newer release tells of it.
                continue

    def await_completion(self, caller: Caller, session_id: str, elicitation_id: str) -> None:
        """Let a session hear when its user is done at a URL, unless it waits for too many."""
        name, address = _awaited_elicitations(session_id), completion(caller.owner_key, elicitation_id)
        known = self.store.subscriptions(caller.owner_key, name)
        if address not in known and len(known) < MAX_SUBSCRIPTIONS:
            seen = self.change_feed.version(caller.owner_key, address)
            self.store.subscribe(caller.owner_key, name, address, seen, self.tasks.now() + SUBSCRIPTION_LIFETIME)

    def completed_elicitations(self, caller: Caller, session_id: str) -> Iterator[str]:
        """Yield the ids of elicitations that are done, and that no other stream of the session tells."""
        name = _awaited_elicitations(session_id)
        for address in self.updated_uris(caller, name, timeout=timedelta()):
            self.store.unsubscribe(caller.owner_key, name, address)
            yield named_by(address)


def _followed_tasks(session_id: str) -> str:
    """Name what a session follows, apart from the addresses that it watches."""
    return f"{session_id}:tasks"


def _awaited_elicitations(session_id: str) -> str:
    return f"{session_id}:visiting"
