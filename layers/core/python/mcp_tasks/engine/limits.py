"""How much one tenant, and one task, may take; `settings` reads them from the environment."""

from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.features.tools import DEFAULT_MACHINE, Tool
from mcp_tasks.limits.tenants import (
    DEFAULT_TTL,
    MAX_ACTIVE_TASKS,
    MAX_ARGUMENTS_BYTES,
    MAX_MACHINE_ARGUMENTS_BYTES,
    MAX_TTL,
)
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.errors import ArgumentsTooLarge


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one tenant, and one task, may take."""

    active_tasks: int = MAX_ACTIVE_TASKS
    default_ttl: timedelta = DEFAULT_TTL
    longest_ttl: timedelta = MAX_TTL
    arguments_bytes: int = MAX_ARGUMENTS_BYTES
    machine_arguments_bytes: int = MAX_MACHINE_ARGUMENTS_BYTES

    def check_size(self, tool: Tool, size: int) -> None:
        """Refuse arguments of that many bytes if they are too many; raises `ArgumentsTooLarge`."""
        limit = self.arguments_bytes if tool.machine == DEFAULT_MACHINE else self.machine_arguments_bytes
        if size > limit:
            raise ArgumentsTooLarge(size, limit)

    def granted(self, tool: Tool, asked: timedelta | None) -> timedelta:
        """Bound the wanted ttl: a task outlives its work, so that there is always somebody to tell the outcome to."""
        wanted = asked if asked is not None else tool.ttl or self.default_ttl
        return min(max(wanted, tool.timeout + KEPT), self.longest_ttl)
