"""The journal of a tool that runs without a task."""

from collections.abc import Callable, Sequence

from mcp_tasks.authoring.context import Journal
from mcp_tasks.authoring.control_signals import InputNeeded
from mcp_tasks.authoring.text import Level
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress


class Deaf:
    """A journal that writes nothing and knows no answer."""

    client_capabilities: frozenset[str] = frozenset()

    def progressed(self, progress: Progress) -> None:
        return

    def noted(self, note: str) -> None:
        return

    def continue_as_task(self) -> None:
        return

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        return

    def updated(self, uri: str) -> None:
        return

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        raise InputNeeded(input_requests)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        return run()


DEAF: Journal = Deaf()
