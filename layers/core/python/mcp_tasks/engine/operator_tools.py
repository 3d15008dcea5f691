"""What operators of a stage have besides: built-in tools for the console, which are there for nobody else.

To any other caller there is no tool of these names, whatever its scopes are.
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from mcp_tasks.engine.built_in_tools import READS, BuiltInTool, built_in_tool, schema
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.features.results import structured
from mcp_tasks.features.tools import TASK_LINKS, TENANT_LIST, Tool
from mcp_tasks.limits.tenants import MAX_OWNER_KEY_BYTES
from mcp_tasks.ports import Ports
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Returned

if TYPE_CHECKING:
    from mcp_tasks.ports.console_links import ConsoleLinks
    from mcp_tasks.ports.tenants import Tenants

CURSOR: Final = {"type": "string", "description": "next_cursor of the page before."}


def operator_tools(ports: Ports, tenants: "Callable[[], Tenants]", tasks: TaskService) -> tuple[Tool, ...]:
    """Return the tools, for a caller who is an operator; no links where there are no pages."""

    def tenant_list(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        # Saves 1 ms of every cold start.
        from mcp_tasks.engine.tenant_overview import listed

        return listed(ports, tenants(), arguments.get("cursor", ""))

    listing = BuiltInTool(
        function=tenant_list,
        input_schema=schema({"cursor": CURSOR}),
        fit=lambda given: _is_name(given.get("cursor", "")),
        wants=f"give no arguments, or as cursor the next_cursor of {TENANT_LIST}",
    )
    found = (built_in_tool(TENANT_LIST, "List tenants", "List tenants, their plans and use.", listing, READS),)
    return found if ports.console_links is None else (*found, _task_links(tasks, ports.console_links))


def _task_links(tasks: TaskService, links: "Callable[[], ConsoleLinks]") -> Tool:
    def task_links(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        task = tasks.get(caller, arguments["task_id"])
        found = [{"title": title, "url": url} for title, url in links().of(task, now=tasks.now()).items()]
        lines = [f"{each['title']}: {each['url']}" for each in found]
        return structured("\n".join(lines), {"task_id": task.id, "links": found})

    work = BuiltInTool(
        function=task_links,
        input_schema=schema({"task_id": {"type": "string"}}, "task_id"),
        fit=lambda given: isinstance(given.get("task_id"), str),
        wants="give task_id, a string",
    )
    return built_in_tool(TASK_LINKS, "Link to a task", "Link to a task's execution and its logs.", work, READS)


def _is_name(value: JSON) -> bool:
    """Return whether this is a name as in owner keys, or nothing."""
    fits = isinstance(value, str) and re.fullmatch(r"[\w.~%-]*", value, re.ASCII) is not None
    return fits and len(value) <= MAX_OWNER_KEY_BYTES
