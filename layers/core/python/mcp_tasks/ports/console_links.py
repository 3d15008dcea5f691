"""Where an operator of a stage finds what happened to a task: pages of whatever runs it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from mcp_tasks.tasks.model import Task


class ConsoleLinks(Protocol):
    """Knows the pages; they name the account, so that nobody but an operator is given one."""

    def of(self, task: Task, *, now: datetime) -> Mapping[str, str]:
        """Return the addresses of the pages about a task, each by what it shows."""
