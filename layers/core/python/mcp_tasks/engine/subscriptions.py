"""Changes of the resources that clients subscribe to: published, and waited for together with changes of tasks.

A change is published to all callers of a tenant.  A listener compares versions with those that it found first.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mcp_tasks.authoring.elicitations import COMPLETION, completion_key
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.ports.change_feed import ChangeFeed
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Task

BETWEEN_READS = timedelta(seconds=2)
"""How often the versions of resources are read while a listener waits for them."""


@record
class Subscriptions:
    """Publishes changes of resources, and waits for them and for changes of tasks."""

    change_feed: ChangeFeed
    tasks: TaskService

    def publish(self, caller: Caller, uri: str) -> None:
        """Publish that the resource at a URI changed."""
        self.change_feed.publish(caller.owner_key, uri)

    def complete(self, caller: Caller, elicitation_id: str) -> None:
        """Publish that the caller's user completed a URL elicitation; for an adopter's code that learns of it."""
        self.publish(caller, completion_key(caller.owner_key, elicitation_id))

    def version(self, caller: Caller, uri: str) -> int:
        """Return the version of the resource at a URI in any spelling, or of what has the key of a completion."""
        # Saves a module of every cold start, as in `features.resources`.
        from mcp_tasks.authoring.uris import normalised

        key = uri if uri.startswith(COMPLETION) else normalised(uri)
        return self.change_feed.version(caller.owner_key, key)

    def versions(self, caller: Caller, uris: Sequence[str]) -> dict[str, int]:
        """Return the version of each resource that can be read, for a listener to compare later ones with."""
        found = {}
        for uri in uris:
            with skip_unreadable("changes of the resource are not notified", owner_key=caller.owner_key):
                found[uri] = self.version(caller, uri)
        return found

    def updates(
        self, caller: Caller, tasks: Mapping[str, int], uris: Mapping[str, int], *, timeout: timedelta
    ) -> tuple[list[Task], list[str]]:
        """Return the tasks and the URIs that are newer than the versions given, once there are any or at `timeout`."""
        deadline = self.tasks.now() + timeout
        while True:
            left = deadline - self.tasks.now()
            newer = self.tasks.updates(caller, tasks, timeout=min(left, BETWEEN_READS) if uris else left)
            changed = list(self.newer(caller, uris))
            if newer or changed or self.tasks.now() >= deadline:
                return newer, changed

    def newer(self, caller: Caller, known: Mapping[str, int]) -> dict[str, int]:
        """Return the versions of those resources that are newer than the `known` ones, by URI."""
        found = self.versions(caller, list(known))
        return {uri: version for uri, version in found.items() if version > known[uri]}
