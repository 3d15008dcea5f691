"""Changes at the addresses that clients watch: published, and waited for together with changes of tasks.

A change is published to all callers of a tenant.  Who listens compares with the versions that it found first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.authoring.elicitations import completion
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.ports.change_feed import ChangeFeed
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Task

BETWEEN_READS = timedelta(seconds=2)
"""How often the versions of addresses are read while somebody waits for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriptions:
    """Publishes changes, and waits for them on behalf of one request."""

    change_feed: ChangeFeed
    tasks: TaskService

    def publish(self, caller: Caller, uri: str) -> None:
        """Note that what is at the address changed."""
        self.change_feed.publish(caller.owner_key, uri)

    def complete(self, caller: Caller, elicitation_id: str) -> None:
        """Note that the caller's user is done at a URL; for code of an adopter's own that hears of it."""
        self.publish(caller, completion(caller.owner_key, elicitation_id))

    def versions(self, caller: Caller, uris: Sequence[str]) -> dict[str, int]:
        """Return what a listener compares with, for each address."""
        return {uri: self.change_feed.version(caller.owner_key, uri) for uri in uris}

    def updates(
        self, caller: Caller, tasks: Mapping[str, int], uris: Mapping[str, int], *, timeout: timedelta
    ) -> tuple[list[Task], list[str]]:
        """Return the tasks and the addresses that are newer than their version here, once there are any."""
        deadline = self.tasks.now() + timeout
        while True:
            left = deadline - self.tasks.now()
            newer = self.tasks.updates(caller, tasks, timeout=min(left, BETWEEN_READS) if uris else left)
            changed = list(self.newer(caller, uris))
            if newer or changed or self.tasks.now() >= deadline:
                return newer, changed

    def newer(self, caller: Caller, known: Mapping[str, int]) -> dict[str, int]:
        """Return the versions of those addresses that changed since the versions that are known."""
        found = self.versions(caller, list(known))
        return {uri: version for uri, version in found.items() if version > known[uri]}
