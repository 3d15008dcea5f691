"""Tools that return at once."""

import time
from datetime import timedelta
from typing import Annotated, Any

from mcp_tasks import (
    Audio,
    Context,
    EmbeddedResource,
    Header,
    Image,
    ToolError,
    tool,
)
from tests.conformance.samples import PNG, WAV

BEAT_SECONDS = 0.05

ADDRESS_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@tool(tasks="never")
def test_simple_text() -> str:
    """Return text."""
    return "This is a simple text response for testing."


@tool(tasks="never")
def test_image_content() -> Image:
    """Return a picture."""
    return Image(PNG)


@tool(tasks="never")
def test_audio_content() -> Audio:
    """Return sound."""
    return Audio(WAV)


@tool(tasks="never")
def test_embedded_resource() -> EmbeddedResource:
    """Return a resource."""
    return EmbeddedResource("test://embedded-resource", "This is an embedded resource content.", "text/plain")


@tool(tasks="never")
def test_multiple_content_types() -> list[str | Image | EmbeddedResource]:
    """Return one of each."""
    data = EmbeddedResource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return ["Multiple content types test:", Image(PNG), data]


@tool(tasks="never")
def test_tool_with_logging(context: Context) -> str:
    """Log three lines."""
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        context.log("info", line)
        time.sleep(BEAT_SECONDS)
    return "Tool with logging executed"


@tool(tasks="never")
def test_error_handling() -> str:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


@tool(tasks="never")
def test_tool_with_progress(context: Context) -> str:
    """Come further three times."""
    for done in (0, 50, 100):
        context.report_progress(done, 100)
        time.sleep(BEAT_SECONDS)
    return "Tool with progress executed"


@tool(tasks="never", input_schema=ADDRESS_SCHEMA)
def json_schema_2020_12_tool(arguments: dict[str, Any]) -> str:
    """Take what only JSON Schema can describe."""
    return f"JSON Schema 2020-12 tool called with: {sorted(arguments)}"


@tool(inline_wait=timedelta(seconds=20))
def test_reconnection() -> str:
    """Outlast the connection that the call came by."""
    time.sleep(3.5)
    return "Reconnection test completed successfully"


@tool(tasks="never")
def test_logging_tool(context: Context) -> str:
    """Log a line."""
    context.log("info", "A line for whoever wants it")
    return "Logged"


@tool(tasks="never")
def test_custom_headers(message: Annotated[str, Header("Message")]) -> str:
    """Repeat what also travels as a header."""
    return message


@tool(tasks="never")
def test_trigger_tool_change() -> str:
    """Change nothing: this server's lists are those of its deployment, and it does not advertise changes."""
    return "The list of tools never changes"


@tool(tasks="never")
def test_trigger_prompt_change() -> str:
    """Change nothing, as above."""
    return "The list of prompts never changes"


TOOLS = [
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_tool_with_logging,
    test_error_handling,
    test_tool_with_progress,
    json_schema_2020_12_tool,
    test_reconnection,
    test_logging_tool,
    test_custom_headers,
    test_trigger_tool_change,
    test_trigger_prompt_change,
]
