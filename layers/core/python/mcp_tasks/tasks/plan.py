"""A plan: how much a tenant may use."""

import math
from dataclasses import field
from typing import Final

from mcp_tasks.limits.plans import DEFAULT
from mcp_tasks.limits.tenants import MAX_ACTIVE_TASKS, MAX_RUNNING_TASKS, MAX_SUBJECT_SHARE
from mcp_tasks.records import record


@record
class Plan:
    """What a tenant may use; None is without a limit, or whatever the stage allows.

    `active_tasks` have not ended yet, suspended ones included; `running_tasks` of those run at a time, and others wait
    for their turn.  While `suspended_tasks` wait for input, no further task is started.  `requests_per_second` are let
    through on average, and `burst` of them at once.  Of all these, a subject may use `subject_share`.  `held_waits` are
    connections that are held until something changes.  `sessions_per_day`, `keys_per_day` (of idempotency) and
    `bytes_per_day` (of arguments) may be begun, used and stored, and `stored_bytes` of arguments and results be kept at
    a time.  `tools` are the names of those that may be called, and `scopes` those that callers keep of their own.
    `suspended` says that no request is served.  `name` is what the stage calls it, and says nothing of what it allows.
    """

    active_tasks: int = MAX_ACTIVE_TASKS
    running_tasks: int = MAX_RUNNING_TASKS
    suspended_tasks: int | None = None
    requests_per_second: float | None = None
    burst: int | None = None
    subject_share: float = MAX_SUBJECT_SHARE
    held_waits: int | None = None
    longest_ttl_seconds: int | None = None
    arguments_bytes: int | None = None
    result_bytes: int | None = None
    sessions_per_day: int | None = None
    keys_per_day: int | None = None
    bytes_per_day: int | None = None
    stored_bytes: int | None = None
    tools: frozenset[str] | None = None
    scopes: frozenset[str] | None = None
    suspended: bool = False
    name: str = field(default=DEFAULT, compare=False)

    def share_of(self, limit: int) -> int:
        """Return how much of a limit of the tenant one subject may use: of any limit but 0, it is 1 at the least."""
        return math.ceil(limit * self.subject_share)


NO_PLAN: Final = Plan(active_tasks=0, running_tasks=0)
"""For a write by which a task gets no slot: what it gives back is counted whatever the plan."""
