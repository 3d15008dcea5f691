"""All that the author of a tool, a prompt or a resource may import.

Each name is looked for when somebody asks for it: most processes need few of them, and pydantic comes with some.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_tasks.features.completion import CompletionContext
    from mcp_tasks.features.prompts import Prompt, prompt
    from mcp_tasks.features.resources import Resource, resource
    from mcp_tasks.features.tools import Tool, tool
    from mcp_tasks.tenancy import Caller
    from mcp_tasks.toolkit.answers import Accepted, Cancelled, Declined, Root, Sampled
    from mcp_tasks.toolkit.contents import Audio, EmbeddedResource, Image, Message, ResourceLink
    from mcp_tasks.toolkit.context import Context
    from mcp_tasks.toolkit.errors import (
        ClientCannot,
        ClientRefused,
        McpError,
        NoAnswer,
        ResourceNotFound,
        ToolError,
        UrlElicitationRequired,
    )
    from mcp_tasks.toolkit.forms import Form
    from mcp_tasks.toolkit.header import Header
    from mcp_tasks.toolkit.interruptions import TaskCancelled
    from mcp_tasks.toolkit.questions import Elicit, ElicitUrl, ListRoots
    from mcp_tasks.toolkit.sampling import Sample
    from mcp_tasks.toolkit.titles import Titles

__all__ = [
    "Accepted",
    "Audio",
    "Caller",
    "Cancelled",
    "ClientCannot",
    "ClientRefused",
    "CompletionContext",
    "Context",
    "Declined",
    "Elicit",
    "ElicitUrl",
    "EmbeddedResource",
    "Form",
    "Header",
    "Image",
    "ListRoots",
    "McpError",
    "Message",
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
    "UrlElicitationRequired",
    "prompt",
    "resource",
    "tool",
]

_HOMES = {
    "features.completion": ("CompletionContext",),
    "features.prompts": ("Prompt", "prompt"),
    "features.resources": ("Resource", "resource"),
    "features.tools": ("Tool", "tool"),
    "tenancy": ("Caller",),
    "toolkit.answers": ("Accepted", "Cancelled", "Declined", "Root", "Sampled"),
    "toolkit.contents": ("Audio", "EmbeddedResource", "Image", "Message", "ResourceLink"),
    "toolkit.context": ("Context",),
    "toolkit.errors": (
        "ClientCannot",
        "ClientRefused",
        "McpError",
        "NoAnswer",
        "ResourceNotFound",
        "ToolError",
        "UrlElicitationRequired",
    ),
    "toolkit.forms": ("Form",),
    "toolkit.header": ("Header",),
    "toolkit.interruptions": ("TaskCancelled",),
    "toolkit.questions": ("Elicit", "ElicitUrl", "ListRoots"),
    "toolkit.sampling": ("Sample",),
    "toolkit.titles": ("Titles",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
