"""Sample tools that return a dict, a list of models, and content beside structured content, with their schemas."""

from pydantic import BaseModel

from mcp_tasks import ToolResult, tool
from mcp_tasks.features.listing import Features


class Report(BaseModel):
    uri: str


@tool(tasks="never")
def count() -> dict[str, int]:
    """Count."""
    return {"a": 1}


@tool(tasks="never")
def recent() -> list[Report]:
    """List reports."""
    return [Report(uri="weather://now")]


@tool(tasks="never")
def told() -> ToolResult[Report]:
    """Tell of a report."""
    return ToolResult(content="It rains.", structured_content=Report(uri="weather://now"))


FEATURES = Features.of([count, recent, told])
REPORT = {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]}
SCHEMAS = {
    "count": {"type": "object", "additionalProperties": {"type": "integer"}},
    "recent": {
        "type": "object",
        "properties": {"result": {"type": "array", "items": REPORT}},
        "required": ["result"],
    },
    "told": REPORT,
}
RESULTS = {
    "count": ('{"a":1}', {"a": 1}),
    "recent": ('[{"uri":"weather://now"}]', {"result": [{"uri": "weather://now"}]}),
    "told": ("It rains.", {"uri": "weather://now"}),
}
