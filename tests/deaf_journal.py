"""The journal of a tool that runs without a task."""

from collections.abc import Callable

from mcp_tasks.context import Journal
from mcp_tasks.tasks.model import JSON, Progress


class Deaf:
    """A journal that writes nothing."""

    def progressed(self, progress: Progress) -> None:
        return

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        return run()


DEAF: Journal = Deaf()
