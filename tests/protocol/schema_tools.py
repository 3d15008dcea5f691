"""Sample tools with `x-mcp-header` arguments or an input schema of their own."""

from typing import Annotated, Any

from mcp_tasks import Header, tool

NESTED = {
    "type": "object",
    "properties": {
        "weight": {"type": "integer", "x-mcp-header": "Weight"},
        "express": {"type": "boolean", "x-mcp-header": "Express"},
        "to": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}},
    },
}
CHOICE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"phone": {"type": "string"}, "email": {"type": "string"}},
    "oneOf": [{"required": ["phone"]}, {"required": ["email"]}],
    "unevaluatedProperties": False,
}


@tool(tasks="never")
def send(region: Annotated[str, Header("Region")], what: str = "a letter") -> str:
    """Send something somewhere."""
    return f"{what} to {region}"


@tool(tasks="never", input_schema=NESTED)
def ship(arguments: dict[str, Any]) -> str:
    """Ship a parcel."""
    return f"shipped {sorted(arguments)}"


@tool(tasks="never", input_schema=CHOICE)
def reach(arguments: dict[str, Any]) -> str:
    """Take a phone number or an address, and not both."""
    return f"by {'phone' if 'phone' in arguments else 'mail'}"


TOOLS = [send, ship, reach]
