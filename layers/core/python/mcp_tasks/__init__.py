"""The public API for authors of tools, prompts and resources.

Each name is imported on first access: most processes need few of them, and some of them import pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_tasks.authoring.audiences import after, anyone, anyone_but_me, role, subject
    from mcp_tasks.authoring.contents import Audio, EmbeddedResource, Image, Message, ResourceLink, ToolResult
    from mcp_tasks.authoring.context import Context
    from mcp_tasks.authoring.control_signals import TaskCancelled
    from mcp_tasks.authoring.errors import (
        InputRequestFailed,
        McpError,
        MissingCapability,
        NoAnswer,
        ResourceNotFound,
        ToolError,
        UrlElicitationRequired,
    )
    from mcp_tasks.authoring.forms import Form
    from mcp_tasks.authoring.header import Header
    from mcp_tasks.authoring.input_requests import Elicit, ElicitUrl, ListRoots
    from mcp_tasks.authoring.input_responses import Accepted, Cancelled, Declined, Root, Sampled
    from mcp_tasks.authoring.sampling import Sample
    from mcp_tasks.authoring.titles import Titles
    from mcp_tasks.features.completion import CompletionContext
    from mcp_tasks.features.prompts import Prompt, prompt
    from mcp_tasks.features.resources import Resource, resource
    from mcp_tasks.features.tools import Tool, tool
    from mcp_tasks.security.tenancy import Caller

__all__ = [
    "Accepted",
    "Audio",
    "Caller",
    "Cancelled",
    "CompletionContext",
    "Context",
    "Declined",
    "Elicit",
    "ElicitUrl",
    "EmbeddedResource",
    "Form",
    "Header",
    "Image",
    "InputRequestFailed",
    "ListRoots",
    "McpError",
    "Message",
    "MissingCapability",
    "NoAnswer",
    "Prompt",
    "Resource",
    "ResourceLink",
    "ResourceNotFound",
    "Root",
    "Sample",
    "Sampled",
    "TaskCancelled",
    "Titles",
    "Tool",
    "ToolError",
    "ToolResult",
    "UrlElicitationRequired",
    "after",
    "anyone",
    "anyone_but_me",
    "prompt",
    "resource",
    "role",
    "subject",
    "tool",
]

_HOMES = {
    "features.completion": ("CompletionContext",),
    "features.prompts": ("Prompt", "prompt"),
    "features.resources": ("Resource", "resource"),
    "features.tools": ("Tool", "tool"),
    "security.tenancy": ("Caller",),
    "authoring.input_responses": ("Accepted", "Cancelled", "Declined", "Root", "Sampled"),
    "authoring.audiences": ("after", "anyone", "anyone_but_me", "role", "subject"),
    "authoring.contents": ("Audio", "EmbeddedResource", "Image", "Message", "ResourceLink", "ToolResult"),
    "authoring.context": ("Context",),
    "authoring.errors": (
        "MissingCapability",
        "InputRequestFailed",
        "McpError",
        "NoAnswer",
        "ResourceNotFound",
        "ToolError",
        "UrlElicitationRequired",
    ),
    "authoring.forms": ("Form",),
    "authoring.header": ("Header",),
    "authoring.control_signals": ("TaskCancelled",),
    "authoring.input_requests": ("Elicit", "ElicitUrl", "ListRoots"),
    "authoring.sampling": ("Sample",),
    "authoring.titles": ("Titles",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
