"""The errors of the domain.

TaskError
├── TaskNotFound       the caller has no such task: unknown, expired and another caller's look alike
├── IllegalTransition  the table in `transitions` does not allow this event in the task's state
├── StaleTask          another process wrote the task first: read it again
├── OutcomeRecorded    an earlier attempt to finish the task came with another outcome, which stays
├── TenantSuspended    no request of the tenant is served
├── LimitReached       the tenant has used up something that its plan limits
│   ├── TooManyTasks   it, or its subject, has as many active tasks as it may have
│   └── TooManyWait    as many of its tasks, or its subject's, wait for input as may
├── KeyReused          the idempotency key belongs to another request
└── ArgumentsTooLarge  the arguments are larger than the store, or a state machine, can take

UnreadableItem         not the caller's error: a stored item cannot be read
├── NewerSchema        a newer release wrote it
├── PayloadRefused     S3 refuses its object, which is gone or may not be read
└── DamagedCounter     it counts what tasks hold, from which the sweep repairs it

Unavailable            not the caller's error either: AWS had no capacity for one call, which did nothing
Unfinished             the same, after something else was done
"""

from datetime import timedelta

from mcp_tasks.limits.waits import TASK_ENDS
from mcp_tasks.tasks.model import Outcome


class TaskError(Exception):
    """A request that the domain rejects."""


class TaskNotFound(TaskError):
    """The caller has no task of this id; the error does not reveal whether another caller has one."""


class IllegalTransition(TaskError):
    """The event cannot happen to a task in this state."""


class StaleTask(TaskError):
    """The stored task changed after it was read, so the conditional write failed."""


class OutcomeRecorded(TaskError):
    """An earlier attempt to finish the task recorded another outcome, and did not get to finish it: that one stays."""

    def __init__(self, outcome: Outcome) -> None:
        """Keep the recorded outcome, with which the task is to be finished."""
        super().__init__("the task has another outcome")
        self.outcome = outcome


class TenantSuspended(TaskError):
    """An operator suspended the tenant."""

    def __init__(self) -> None:
        """Say so to the client."""
        super().__init__("this tenant is suspended: its operator can say why")


class LimitReached(TaskError):
    """The tenant, or a subject of it, has used up what its plan allows."""

    what_to_do = "Try again later"

    def __init__(
        self, reason: str, *, limit: float, remaining: float, retry_after: timedelta, message: str | None = None
    ) -> None:
        """Name the limit by the field of the plan, and say when it is worth trying again."""
        super().__init__(message or f"this tenant's plan allows {reason}: {limit:g}")
        self.reason = reason
        self.limit = limit
        self.remaining = remaining
        self.retry_after = retry_after


class TooManyTasks(LimitReached):
    """The active tasks of a tenant, or those that it leaves to one subject, are used up."""

    what_to_do = "Wait until a task ends, or cancel one"

    def __init__(self, limit: int, *, share: int | None = None) -> None:
        """Put the limit of the tenant or, where that is less, the subject's `share` into the message for the client."""
        whose = "subject" if share is not None and share < limit else "tenant"
        limit = limit if share is None else share
        message = f"this {whose} may run {limit} tasks at a time"
        super().__init__("too_many_tasks", limit=limit, remaining=0, retry_after=TASK_ENDS, message=message)


class TooManyWait(LimitReached):
    """As many tasks of a tenant, or of one subject, wait for input as may: until some do not, none is started."""

    what_to_do = "Answer a task that waits for input, or cancel one"

    def __init__(self, limit: int, *, whose: str) -> None:
        """Say whose limit it is: the tenant's, or the subject's share."""
        message = f"of this {whose}, {limit} tasks may wait for input at a time"
        super().__init__("suspended_tasks", limit=limit, remaining=0, retry_after=TASK_ENDS, message=message)


class KeyReused(TaskError):
    """The client used this idempotency key before, for a different request."""


class ArgumentsTooLarge(TaskError):
    """The arguments of a call are larger than the store, or the tool's own state machine, can take."""

    def __init__(self, size: int, limit: int) -> None:
        """Put size and limit, both in bytes of JSON, into the message for the client."""
        super().__init__(f"the arguments are {size} bytes of JSON; this tool takes at most {limit}")
        self.size = size
        self.limit = limit


class UnreadableItem(Exception):
    """A stored item cannot be read: it is damaged, or a newer release wrote it; `for_client` says so to clients."""

    for_client = "What is stored of this is damaged, and cannot be read until the server's operator has repaired it."

    def __init__(self, item: str, reason: str) -> None:
        """Name the item by its sort key, and say what does not fit, without quoting what is stored."""
        super().__init__(f"item {item} {reason}")


class NewerSchema(UnreadableItem):
    """A stored item has a schema version that only a newer release can read."""

    for_client = "A newer release of this server stored this, and only that one can read it: try again later."

    def __init__(self, item: str, *, found: int, known: int) -> None:
        """Name the item by its sort key, with the schema version found in it and the newest one known here."""
        super().__init__(item, f"has schema {found}; this release reads up to {known}: deploy a newer release")


class PayloadRefused(UnreadableItem):
    """S3 refuses the object that holds an item's value: to whoever may not list a bucket, it says so of what is gone.

    Where a permission is only missing at present, another attempt may succeed.
    """

    def __init__(self, item: str) -> None:
        """Name the item by its sort key."""
        super().__init__(item, "cannot be read: its object is gone, or may not be read")


class DamagedCounter(UnreadableItem):
    """A counter of what tasks hold is damaged: once the sweep has repaired it, another attempt succeeds."""

    for_client = "A counter of this server is damaged, which is repaired within minutes: try again later."


class Unavailable(Exception):
    """AWS refused a call, or did not answer, for as long as there was time: the same call may succeed later.

    At the endpoint the call did nothing.  State machines retry functions that raise it, by this name
    (`infra/retries.py`).
    """


class Unfinished(Exception):
    """AWS refused a call after its request had done something, which another request of its kind would do again."""
