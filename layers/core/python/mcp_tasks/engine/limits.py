"""The limits that a deployment sets for tasks; `settings` reads them from the environment."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Self

from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.tenants import (
    DEFAULT_TTL,
    MAX_ARGUMENTS_BYTES,
    MAX_MACHINE_ARGUMENTS_BYTES,
    MAX_TTL,
)
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import ArgumentsTooLarge
from mcp_tasks.tasks.model import COMMON_MACHINES, JSON, LONGEST_WORK
from mcp_tasks.tasks.plan import Plan


@record
class Limits:
    """How long a task is kept, and how large its arguments may be."""

    default_ttl: timedelta = DEFAULT_TTL
    longest_ttl: timedelta = MAX_TTL
    arguments_bytes: int = MAX_ARGUMENTS_BYTES
    machine_arguments_bytes: int = MAX_MACHINE_ARGUMENTS_BYTES

    def within(self, plan: Plan) -> Self:
        """Return these limits as far as a tenant's plan leaves them."""
        longest = self.longest_ttl
        if plan.longest_ttl_seconds is not None:
            longest = min(longest, timedelta(seconds=plan.longest_ttl_seconds))
        most = MAX_ARGUMENTS_BYTES if plan.arguments_bytes is None else plan.arguments_bytes
        return replace(
            self,
            longest_ttl=longest,
            arguments_bytes=min(self.arguments_bytes, most),
            machine_arguments_bytes=min(self.machine_arguments_bytes, most),
        )

    def completed(self, tool: Tool, arguments: Mapping[str, JSON], size: int) -> Mapping[str, JSON]:
        """Return a call's arguments, of `size` bytes, as they are stored; raises `ArgumentsTooLarge`.

        A state machine of the tool's own reads them without the tool's signature, so that they have its defaults.
        """
        self._check_size(tool, size)
        if tool.machine in COMMON_MACHINES:
            return arguments
        # Saves a module of every cold start: few tools have a state machine of their own.
        from mcp_tasks.features.defaults import with_defaults

        completed = with_defaults(tool, arguments)
        self._check_size(tool, len(json.dumps(completed)))
        return completed

    def _check_size(self, tool: Tool, size: int) -> None:
        limit = self.arguments_bytes if tool.machine in COMMON_MACHINES else self.machine_arguments_bytes
        if size > limit:
            raise ArgumentsTooLarge(size, limit)

    def granted(self, tool: Tool, requested: timedelta | None) -> timedelta:
        """Return the ttl of a task: as requested, but at least its tool's `ttl`, and its longest work plus `KEPT`.

        It is never more than `longest_ttl`, which then shortens the time for the work.
        """
        runs, beside = LONGEST_WORK.get(tool.machine, (1, timedelta()))
        shortest = max(tool.ttl or timedelta(), runs * tool.timeout + beside + KEPT)
        ttl = requested if requested is not None else tool.ttl or self.default_ttl
        return min(max(ttl, shortest), self.longest_ttl)
