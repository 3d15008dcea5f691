"""Adds the defaults of a tool's signature to arguments, for the tool's own state machine: that has no signature."""

from collections.abc import Mapping
from typing import Any

from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON

NO_SCHEMA: Mapping[str, JSON] = {}


def with_defaults(tool: Tool, arguments: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Return arguments with the default of each that they leave out, within other arguments too.

    Where a value may be of several types, nothing is added inside it: which of them it is, only the function knows.
    A schema of the tool's own has no defaults that its function would be given.
    """
    if tool.extra_arguments is None:
        return arguments
    completed: Mapping[str, JSON] = _completed(arguments, tool.work.input_schema, tool.work.input_schema)
    return completed


def _completed(value: JSON, schema: Any, root: Mapping[str, JSON]) -> JSON:
    schema = _of_value(schema, root)
    if isinstance(value, list) and "items" in schema:
        return [_completed(each, schema["items"], root) for each in value]
    if not isinstance(value, Mapping) or not schema:
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    given = {name: _completed(each, properties.get(name, others), root) for name, each in value.items()}
    return {name: part["default"] for name, part in properties.items() if _has_default(part)} | given


def _has_default(schema: Any) -> bool:
    return isinstance(schema, Mapping) and "default" in schema


def _of_value(schema: Any, root: Mapping[str, JSON]) -> Mapping[str, Any]:
    """Return the schema of what a value is unless it is null, where that is one alone."""
    if not isinstance(schema, Mapping):
        return NO_SCHEMA
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(others) == 1:
        return _of_value(others[0], root)
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    named = root.get("$defs", {}).get(name)
    return named if isinstance(named, Mapping) else schema
