"""All that the author of a tool, a prompt or a resource may import."""

from typing import TYPE_CHECKING, Any

from mcp_tasks.features.completion import CompletionContext
from mcp_tasks.features.prompts import Prompt, prompt
from mcp_tasks.features.resources import Resource, resource
from mcp_tasks.features.tools import Tool, tool
from mcp_tasks.tenancy import Caller
from mcp_tasks.toolkit.contents import Audio, EmbeddedResource, Image, Message, ResourceLink
from mcp_tasks.toolkit.context import Context
from mcp_tasks.toolkit.errors import ClientCannot, McpError, ResourceNotFound, ToolError
from mcp_tasks.toolkit.header import Header
from mcp_tasks.toolkit.interruptions import TaskCancelled
from mcp_tasks.toolkit.questions import (
    Accepted,
    Cancelled,
    Declined,
    Elicit,
    ElicitUrl,
    ListRoots,
    Root,
    Sample,
    Sampled,
)

if TYPE_CHECKING:
    from mcp_tasks.toolkit.forms import Form

__all__ = [
    "Accepted",
    "Audio",
    "Caller",
    "Cancelled",
    "ClientCannot",
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
    "Prompt",
    "Resource",
    "ResourceLink",
    "ResourceNotFound",
    "Root",
    "Sample",
    "Sampled",
    "TaskCancelled",
    "Tool",
    "ToolError",
    "prompt",
    "resource",
    "tool",
]


def __getattr__(name: str) -> Any:
    # Only when asked for: it brings pydantic, which most messages are answered without.
    if name == "Form":
        from mcp_tasks.toolkit.forms import Form

        return Form
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
