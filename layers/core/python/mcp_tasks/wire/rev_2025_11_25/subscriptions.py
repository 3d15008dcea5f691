"""What a session is notified of: resources it subscribes to, tasks it follows, the completion of URL elicitations.

The store keeps which versions a session was notified of, so that only one of its streams sends each notification.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

from mcp_tasks.authoring.elicitations import completion_key, elicitation_id_of
from mcp_tasks.engine.subscriptions import BETWEEN_READS, Subscriptions
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.limits.requests import MAX_SUBSCRIPTIONS
from mcp_tasks.limits.waits import SUBSCRIPTION_LIFETIME
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound, UnreadableItem
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire.rev_2025_11_25.ports import SessionStore


class TooManySubscriptions(Exception):
    """The session has `MAX_SUBSCRIPTIONS` resources already."""


@record
class SessionSubscriptions(Subscriptions):
    """Keeps the subscriptions of each session, and returns each change once a session."""

    store: SessionStore

    def subscribe(self, caller: Caller, session_id: str, uri: str) -> None:
        """Subscribe a session to the changes of a resource from now on; raises `TooManySubscriptions`."""
        known = self.store.subscriptions(caller.owner_key, session_id)
        if uri in known:
            return
        if len(known) >= MAX_SUBSCRIPTIONS:
            raise TooManySubscriptions
        seen = self.version(caller, uri)
        self.store.subscribe(caller.owner_key, session_id, uri, seen, self.tasks.now() + SUBSCRIPTION_LIFETIME)

    def unsubscribe(self, caller: Caller, session_id: str, uri: str) -> None:
        """End a session's subscription to a resource, if it has one."""
        self.store.unsubscribe(caller.owner_key, session_id, uri)

    def watches_any(self, caller: Caller, session_id: str) -> bool:
        """Return whether a session subscribes to any resource."""
        return bool(self.store.subscriptions(caller.owner_key, session_id))

    def updated_uris(
        self, caller: Caller, session_id: str, *, timeout: timedelta, until: Callable[[], bool] = lambda: False
    ) -> list[str]:
        """Wait for changes, and return the URIs that changed and that no other stream of the session notifies of.

        Returns none after `timeout`, or once `until` returns True.
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
        """Subscribe a session to a task's changes from this version on, unless it follows `MAX_SUBSCRIPTIONS` tasks."""
        name = _followed_tasks(session_id)
        if len(self.store.subscriptions(caller.owner_key, name)) < MAX_SUBSCRIPTIONS:
            self._subscribe_if_possible(caller, name, task.id, task.version)

    def has_task_updates(self, caller: Caller, session_id: str) -> bool:
        """Return whether a task that the session follows has changed since its last notification."""
        followed = self.store.subscriptions(caller.owner_key, _followed_tasks(session_id))
        return any(
            task is not None and task.version > followed[task_id] for task_id, task in self._found(caller, followed)
        )

    def task_updates(self, caller: Caller, session_id: str) -> Iterator[Task]:
        """Yield the followed tasks that changed and that no other stream of the session notifies of."""
        name = _followed_tasks(session_id)
        followed = self.store.subscriptions(caller.owner_key, name)
        for task_id, task in self._found(caller, followed):
            newer = task is not None and task.version > followed[task_id]
            if task is not None and newer and self.store.claim(caller.owner_key, name, task_id, task.version):
                yield task
            if task is None or is_final(task):
                self.store.unsubscribe(caller.owner_key, name, task_id)

    def follow_input_requests(self, caller: Caller, session_id: str, task: Task) -> None:
        """Have a session sent what a task of another session asks, unless it follows `MAX_SUBSCRIPTIONS` of them."""
        name = _polled_tasks(session_id)
        known = self.store.subscriptions(caller.owner_key, name)
        if task.id not in known and len(known) < MAX_SUBSCRIPTIONS:
            self._subscribe_if_possible(caller, name, task.id, task.version)

    def polled_tasks(self, caller: Caller, session_id: str) -> Iterator[str]:
        """Yield the ids of the live tasks of other sessions whose input requests the session is sent."""
        name = _polled_tasks(session_id)
        for task_id, task in self._found(caller, self.store.subscriptions(caller.owner_key, name)):
            if task is None or is_final(task):
                self.store.unsubscribe(caller.owner_key, name, task_id)
            else:
                yield task_id

    def _found(self, caller: Caller, task_ids: Iterable[str]) -> Iterator[tuple[str, Task | None]]:
        for task_id in task_ids:
            try:
                yield task_id, self.tasks.get(caller, task_id)
            except TaskNotFound:
                yield task_id, None
            except UnreadableItem:
                # Still followed, and not logged, since it is read every few seconds: its client can read the error.
                continue

    def subscribe_to_completion(self, caller: Caller, session_id: str, elicitation_id: str) -> None:
        """Subscribe a session to the completion of a URL elicitation, unless it awaits `MAX_SUBSCRIPTIONS` of them."""
        name, key = _awaited_elicitations(session_id), completion_key(caller.owner_key, elicitation_id)
        known = self.store.subscriptions(caller.owner_key, name)
        if key not in known and len(known) < MAX_SUBSCRIPTIONS:
            self._subscribe_if_possible(caller, name, key, self.change_feed.version(caller.owner_key, key))

    def _subscribe_if_possible(self, caller: Caller, name: str, watched: str, version: int) -> None:
        until = self.tasks.now() + SUBSCRIPTION_LIFETIME
        # Where a newer release keeps these subscriptions, the message that this is about matters more.
        with skip_unreadable("the subscription is not stored", owner_key=caller.owner_key):
            self.store.subscribe(caller.owner_key, name, watched, version, until)

    def completed_elicitations(self, caller: Caller, session_id: str) -> Iterator[str]:
        """Yield the ids of the URL elicitations that are complete and that no other stream notifies of."""
        name = _awaited_elicitations(session_id)
        for key in self.updated_uris(caller, name, timeout=timedelta()):
            self.store.unsubscribe(caller.owner_key, name, key)
            yield elicitation_id_of(key)


def _followed_tasks(session_id: str) -> str:
    """Return the id under which the store keeps the tasks that a session follows, apart from its resources."""
    return f"{session_id}:tasks"


def _polled_tasks(session_id: str) -> str:
    """Return the id under which the store keeps the tasks of other sessions that a session polls."""
    return f"{session_id}:polled"


def _awaited_elicitations(session_id: str) -> str:
    """Return the id under which the store keeps the elicitations that a session awaits."""
    return f"{session_id}:visiting"
