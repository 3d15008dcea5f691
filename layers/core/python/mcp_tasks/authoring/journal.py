"""The journal of a run, which its context writes to: the engine and the test kit implement it."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Protocol

from mcp_tasks.authoring.text import Level
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress


class Journal(Protocol):
    """Where a run records its steps and progress, and gets the responses to its input requests."""

    @property
    def client_capabilities(self) -> frozenset[str]:
        """The client's capabilities, such as `elicitation.form`; `authoring.input_requests` lists them."""

    def progressed(self, progress: Progress) -> None:
        """Report progress; raises `TaskCancelled` once the task is final."""

    def status_reported(self, status_message: str) -> None:
        """Report a status message; raises `TaskCancelled` once the task is final."""

    def expected(self, duration: timedelta) -> None:
        """Report how much longer the work takes; raises `TaskCancelled` once the task is final."""

    def continue_as_task(self) -> None:
        """End a run that started inline, whose work goes on as a task; do nothing in any other run."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Send a log message to the client, if it has set a level that includes it."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return the step's recorded result, or run it; raises `TaskCancelled` once the task is final."""

    def patched(self, name: str) -> bool:
        """Return what is recorded under this name: True, now that no earlier run was past here, or False, unrecorded.

        Raises `TaskCancelled` once the task is final.
        """

    def sleep(self, duration: timedelta, step: Callable[[Callable[[], str]], str]) -> None:
        """End the run until the task has slept for this long, or return if it has; `step` records when it wakes."""

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        """Wait before a step is retried; return False at once where the run has not that much time left.

        Raises `TaskCancelled` once the task is final.
        """

    def tenant_credentials(self) -> Credentials:
        """Return credentials of AWS for what is the caller's tenant's own.

        Ends a run that started inline, whose work goes on as a task; raises `RuntimeError` where there are none.
        """

    def updated(self, uri: str) -> None:
        """Publish that the resource at a URI changed, for the clients that subscribed to it."""

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return a response for each input request; raises a `ControlSignal` while one is missing."""
