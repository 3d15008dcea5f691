"""The host of a run: what a run needs from outside its own process, for its task and for no other.

Tools are adopters' code, so a run reaches neither the store nor the executor, but only this.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from mcp_tasks.records import record
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Outcome, Progress


class RunNotWanted(Exception):
    """The task is final or gone: no more of the run is wanted, and nothing of it is recorded."""


class TicketRevoked(Exception):
    """The key that signed the ticket of a run is not accepted any more: it is to be repeated with another ticket.

    Its state machine knows the error by this name (`infra/run.py`).
    """


@record
class LoadedRun:
    """What a run begins with; the fields that a `Task` has too mean the same.

    `steps` are what steps of earlier runs recorded, by their hashed names, and `responses` those to their input
    requests, by key: as many as fit into `MAX_LOADED_CHARACTERS`.  `attempt` is the number of a run that holds a lease,
    which has to be renewed; runs of an execution hold none.  `left` is until `due_at`, of which a host of an earlier
    release says nothing.
    """

    owner_key: str
    task_id: str
    tool: str
    arguments: Mapping[str, JSON]
    scopes: frozenset[str]
    actor: Mapping[str, JSON] | None = None
    client_capabilities: frozenset[str]
    requested: tuple[str, ...]
    steps: Mapping[str, JSON]
    responses: Mapping[str, InputResponse]
    ttl: timedelta
    expires_at: datetime
    due_at: datetime
    tool_version: str | None = None
    trace: str | None = None
    attempt: int | None = None
    left: timedelta | None = None

    def ends_at(self, now: datetime) -> datetime:
        """Return when the run that has just been loaded is due by its own clock, which may not be that of its host."""
        return self.due_at if self.left is None else now + self.left


class RunHost(Protocol):
    """Does for one run what only the core may do; every method raises `RunNotWanted`.

    Whatever else a method raises means that it failed for now, and that the run is to be repeated.
    """

    def load(self) -> LoadedRun | timedelta:
        """Return what the run begins with, or for how long the task waits for input, or sleeps, before it runs.

        Raises `TicketRevoked`.
        """

    def renew(self) -> None:
        """Renew the lease of the run; raises `RunNotWanted` where another run has taken it, too."""

    def check(self) -> None:
        """Return if the run is still wanted."""

    def progressed(self, progress: Progress) -> None:
        """Write progress, where it is higher than before."""

    def status_reported(self, status_message: str) -> None:
        """Write a status message, where it differs from the one before."""

    def expected(self, at: datetime) -> None:
        """Write when the work will be done."""

    def recall(self, step: str) -> tuple[JSON] | None:
        """Return what a step recorded, in a tuple of one, or None if it is to be run."""

    def record(self, step: str, value: JSON) -> JSON:
        """Record the result of a step, unless an earlier run did; returns the recorded one."""

    def count_steps(self) -> int:
        """Return how many steps are recorded."""

    def response(self, key: str) -> InputResponse | None:
        """Return the response to an input request of an earlier run."""

    def tenant_credentials(self) -> Credentials | None:
        """Return credentials for what is the caller's tenant's own in AWS, if tools are granted anything of that."""

    def published(self, uri: str) -> None:
        """Publish that the resource at a URI changed, to all callers of the task's tenant."""

    def request_input(self, input_requests: Sequence[InputRequest]) -> timedelta:
        """Store the input requests that the run ended with, and return how long to wait for the first response."""

    def sleep(self, wakes_at: datetime) -> timedelta:
        """Store when the task, which sleeps from now on, wakes; returns how long that is."""

    def finish(self, outcome: Outcome) -> None:
        """Record the outcome of the task."""
