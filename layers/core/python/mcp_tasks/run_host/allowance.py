"""How much the runs of a task may send to their host: so many messages, and more of them in time.

A process serves the first messages of a task by itself, and takes more from the task's bucket in batches.  So most
tasks cost no write, and however many processes host a task's runs, the bucket bounds what all of them serve.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from mcp_tasks.engine.leases import Bucket, Leases
from mcp_tasks.limits.tools import (
    MAX_LEASED_MESSAGES,
    MAX_MESSAGES,
    MESSAGE_BYTES,
    MESSAGES_PER_SECOND,
)
from mcp_tasks.ports.buckets import Buckets, Rate
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tickets import Ticket
from mcp_tasks.tasks.model import JSON

RATE: Final = Rate(burst=MAX_MESSAGES, per_second=MESSAGES_PER_SECOND)


class TooManyMessages(Exception):
    """The runs of a task sent their host more than they may."""

    def __init__(self, seconds: float) -> None:
        """Name the limits, and when to go on."""
        super().__init__(
            f"the runs of a task may send {MAX_MESSAGES:,} messages at once and {MESSAGES_PER_SECOND} a second after "
            f"that, and {MESSAGE_BYTES:,} characters of JSON count as one more: report less often, record less, or "
            f"wait {seconds:.0f} s"
        )


@dataclass(slots=True, kw_only=True)
class MessageAllowance:
    """What one process has left of each task's messages."""

    buckets: Buckets
    clock: Clock
    _leases: Leases = field(init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def __post_init__(self) -> None:
        """Begin without having taken anything."""
        self._leases = Leases(buckets=self.buckets, clock=self.clock)

    def spend(self, ticket: Ticket, sent: Mapping[str, JSON]) -> None:
        """Count a message of a task's runs, whoever of them sends it; raises `TooManyMessages`."""
        # By the task: whoever has its start ticket gets as many run tickets as it likes.
        bucket = Bucket(
            owner=ticket.owner_key,
            name=f"run#{ticket.task_id}",
            rate=RATE,
            batch=MAX_LEASED_MESSAGES,
            reason="messages",
            unleased=MAX_LEASED_MESSAGES,
        )
        with self._lock:
            if (wait := self._leases.fill(bucket)) is not None:
                raise TooManyMessages(max(1, wait.total_seconds()))
            self._leases.use(bucket, 1 + len(json.dumps(sent)) // MESSAGE_BYTES)
