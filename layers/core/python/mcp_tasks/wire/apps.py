"""The extension `io.modelcontextprotocol/ui` (MCP Apps), for both revisions: hosts show the console in themselves.

    tools/list        names the view in `_meta.ui` of the tools whose results it shows
    resources/read    returns it, the same page as at the API's root

Only clients that declare the extension are told.  The view may have its host call tools, and nothing else.
    -- ext-apps 2026-01-26
"""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.features.tools import OPERATOR_TOOLS
from mcp_tasks.tasks.model import JSON

UI: Final = "io.modelcontextprotocol/ui"
CONSOLE: Final = "ui://mcp-task-server/console"
MIME_TYPE: Final = "text/html;profile=mcp-app"
SHOWN_IN_CONSOLE: Final = frozenset({"task_list", "approval_list"})
"""The built-in tools whose results the console shows."""


def is_declared(capabilities: JSON) -> bool:
    """Return whether the capabilities declare the extension, for views in HTML."""
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    declared = extensions.get(UI) if isinstance(extensions, dict) else None
    return isinstance(declared, dict) and MIME_TYPE in (declared.get("mimeTypes") or [MIME_TYPE])


def with_view(tool: dict[str, JSON]) -> dict[str, JSON]:
    """Return a `Tool` of the schema with its view, if it has one, and to whom hosts may show it, if not to models."""
    ui: dict[str, JSON] = {}
    if tool["name"] in SHOWN_IN_CONSOLE:
        ui["resourceUri"] = CONSOLE
    if tool["name"] in OPERATOR_TOOLS:
        # No model is told who the tenants are.
        ui["visibility"] = ["app"]
    return {**tool, "_meta": {**tool.get("_meta", {}), "ui": ui}} if ui else tool


def contents() -> list[dict[str, JSON]]:
    """Return the contents of the view; it loads nothing, and fetches from nowhere."""
    # Saves every other request the import of what reads files of packages.
    from mcp_tasks.page import console

    meta = {"ui": {"csp": {}, "prefersBorder": True}}
    return [{"uri": CONSOLE, "mimeType": MIME_TYPE, "text": console(), "_meta": meta}]


def capabilities(offered: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return server capabilities with what the extension adds: a resource to read."""
    return {"resources": {"listChanged": False, "subscribe": False}, **offered}
