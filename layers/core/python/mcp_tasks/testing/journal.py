"""The journal for tests that call a tool as a function: `Context(caller=CALLER, journal=NULL_JOURNAL)`."""

from collections.abc import Callable, Sequence

from mcp_tasks.authoring.context import Journal
from mcp_tasks.authoring.control_signals import InputNeeded
from mcp_tasks.authoring.text import Level
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress


class NullJournal:
    """Writes nothing, runs each step, and knows no response: a tool that asks ends there."""

    client_capabilities: frozenset[str] = frozenset()

    def progressed(self, progress: Progress) -> None:
        """Take a report of progress; see `Journal`."""

    def status_reported(self, status_message: str) -> None:
        """Take a status message; see `Journal`."""

    def continue_as_task(self) -> None:
        """Go on without a task; see `Journal`."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Take a log message; see `Journal`."""

    def updated(self, uri: str) -> None:
        """Take a change of a resource; see `Journal`."""

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """End the run; see `Journal`."""
        raise InputNeeded(input_requests)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Run a step; see `Journal`."""
        return run()


NULL_JOURNAL: Journal = NullJournal()
