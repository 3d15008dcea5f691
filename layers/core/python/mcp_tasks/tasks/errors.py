"""How the domain refuses, and how it says that what is stored is not for this release to read.

TaskError
├── TaskNotFound       no such task for this caller: unknown, expired and somebody else's look alike
├── IllegalTransition        the table of `transitions` has no such row
├── StaleTask          somebody else wrote first; read again
├── TooManyTasks       the tenant already runs as many tasks as it may
├── KeyReused          the idempotency key stands for another request
└── ArgumentsTooLarge  the call brings more than may be kept or handed on

NewerSchema            no rejection: a newer release wrote what is stored
"""


class TaskError(Exception):
    """The domain refuses."""


class TaskNotFound(TaskError):
    """The caller has no such task."""


class IllegalTransition(TaskError):
    """The task's state does not allow what was asked."""


class StaleTask(TaskError):
    """The stored task is not the one that was read."""


class TooManyTasks(TaskError):
    """The tenant's quota of active tasks is used up."""

    def __init__(self, limit: int) -> None:
        """Name the limit, so that the caller knows what to wait for."""
        super().__init__(f"this tenant may run {limit} tasks at a time")
        self.limit = limit


class KeyReused(TaskError):
    """The idempotency key was first used for a different request."""


class ArgumentsTooLarge(TaskError):
    """The call brings more than may be kept, or than a state machine may be given."""

    def __init__(self, size: int, limit: int) -> None:
        """Name both, in bytes."""
        super().__init__(f"the arguments are {size} bytes of JSON; this tool takes at most {limit}")


class NewerSchema(Exception):
    """A stored item has a schema version that only a newer release can read."""

    def __init__(self, item: str, *, found: int, known: int) -> None:
        """Name the item by its key, the version it has and the newest that can be read."""
        super().__init__(f"item {item} has schema {found}; this release reads up to {known}: deploy a newer release")
