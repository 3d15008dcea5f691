"""Idempotency keys: a request that is repeated under the same key gets the task that the first one created."""

import hashlib
import json
from datetime import timedelta
from typing import Self

from mcp_tasks.limits.waits import IDEMPOTENCY_KEY_LIFETIME
from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON, OutcomeKind, State, Task


@record
class IdempotencyKey:
    """The name of a request and a digest of its content, which belong to one task for `lifetime`.

    With `unless_failed`, a request of that name gets a new task once the first has failed or was cancelled.
    """

    name: str
    fingerprint: str
    lifetime: timedelta = IDEMPOTENCY_KEY_LIFETIME
    unless_failed: bool = False

    @classmethod
    def given(cls, name: str, request: str) -> Self:
        """Return the key of a request that its client named itself."""
        return cls(name=name, fingerprint=_digest(request))

    @classmethod
    def joining(cls, request: JSON, lifetime: timedelta) -> Self:
        """Return the key of all requests with the same content, so that each joins the task of the one before it."""
        alike = _digest(json.dumps(request))
        return cls(name=f"joined {alike}", fingerprint=alike, lifetime=lifetime, unless_failed=True)

    def stands_for(self, task: Task) -> bool:
        """Return whether a request with this key gets that task, and not a new one."""
        failed = task.state is State.CANCELLED or task.outcome_kind in (OutcomeKind.RETURNED_ERROR, OutcomeKind.FAILED)
        return not (self.unless_failed and failed)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
