"""A journal for unit tests that call a tool as a function: `Context(caller=CALLER, journal=NULL_JOURNAL)`."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from mcp_tasks.adapters.own_credentials import OwnCredentials
from mcp_tasks.authoring.control_signals import InputNeeded
from mcp_tasks.authoring.journal import Journal
from mcp_tasks.authoring.text import Level
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress


class NullJournal:
    """A `Journal` that records nothing and runs each step; an input request ends the run."""

    client_capabilities: frozenset[str] = frozenset()

    def progressed(self, progress: Progress) -> None:
        """Ignore a report of progress."""

    def status_reported(self, status_message: str) -> None:
        """Ignore a status message."""

    def expected(self, duration: timedelta) -> None:
        """Ignore when the work will be done."""

    def continue_as_task(self) -> None:
        """Do nothing, as in a run that is not inline."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Ignore a log message."""

    def updated(self, uri: str) -> None:
        """Ignore the change of a resource."""

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Raise `InputNeeded`."""
        raise InputNeeded(input_requests)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Run the step and return its result."""
        return run()

    def patched(self, name: str) -> bool:
        """Return True, as in a task that is new."""
        return True

    def tenant_credentials(self) -> Credentials:
        """Return the credentials of this process."""
        if (credentials := OwnCredentials().credentials(ANONYMOUS)) is None:
            raise RuntimeError("there are no credentials of AWS in this process")
        return credentials

    def sleep(self, duration: timedelta, step: Callable[[Callable[[], str]], str]) -> None:
        """Return at once."""

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        """Return True at once."""
        return True


NULL_JOURNAL: Journal = NullJournal()
