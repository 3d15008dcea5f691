"""Names of requests: what repeats a request gets the task that it has already."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from mcp_tasks.limits.waits import IDEMPOTENCY_KEY_LIFETIME
from mcp_tasks.tasks.model import JSON, OutcomeKind, State, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A name for a request, and a digest of what it asked for; for its `lifetime` it stands for one task.

    With `unless_lost` it does so only while that task may still come to a result, or has: not once it has failed or was
    cancelled.
    """

    name: str
    fingerprint: str
    lifetime: timedelta = IDEMPOTENCY_KEY_LIFETIME
    unless_lost: bool = False

    @classmethod
    def given(cls, name: str, request: str) -> Self:
        """Return the client's own name for a request."""
        return cls(name=name, fingerprint=_digest(request))

    @classmethod
    def joining(cls, request: JSON, lifetime: timedelta) -> Self:
        """Return the name of all requests that are alike, so that each joins the one before it."""
        alike = _digest(json.dumps(request))
        return cls(name=f"joined {alike}", fingerprint=alike, lifetime=lifetime, unless_lost=True)

    def stands_for(self, task: Task) -> bool:
        """Tell whether a request of this name gets that task instead of a new one."""
        lost = task.state is State.CANCELLED or task.outcome_kind in (OutcomeKind.RETURNED_ERROR, OutcomeKind.FAILED)
        return not (self.unless_lost and lost)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
