"""The catalogue: the descriptions and schemas of all features as JSON, written when the layer is built.

With it, the endpoint lists features and starts tasks without importing tool code, which brings pydantic and whatever
its authors import.

    python -m mcp_tasks.features.catalogue MODULE
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from mcp_tasks.features.argument import Argument
from mcp_tasks.features.lazy import LazyPrompt, LazyResource, LazyTool
from mcp_tasks.features.listing import Features
from mcp_tasks.features.machines import MissingMachine
from mcp_tasks.features.prompts import Prompt
from mcp_tasks.features.resources import Resource
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON

TOOL = ("name", "title", "description", "tasks", "machine", "starts_inline", "immediate_response", "annotations")
TOOL_SPANS = ("timeout", "ttl", "poll_interval", "inline_wait", "handle_after", "join_within")
SCHEMAS = ("input_schema", "output_schema")
PROMPT = ("name", "title", "description")
RESOURCE = ("uri", "name", "title", "description", "mime_type", "subscribable")
RESOURCE_SPANS = ("ttl",)


def write(module: str) -> str:
    """Return the catalogue of a module's `TOOLS`, `PROMPTS` and `RESOURCES`, as JSON."""
    features = Features.of_module(module)
    return json.dumps(
        {
            "module": module,
            "tools": [_written(tool, TOOL, TOOL_SPANS) | _written(tool.work, SCHEMAS) for tool in features.tools],
            "prompts": [
                _written(prompt, PROMPT) | {"arguments": [asdict(argument) for argument in prompt.arguments]}
                for prompt in features.prompts
            ],
            "resources": [_written(resource, RESOURCE, RESOURCE_SPANS) for resource in features.resources],
        }
    )


def read(text: str) -> Features:
    """Return the features of a catalogue, in its order; their code is imported when it is first called."""
    catalogue = json.loads(text)
    module = catalogue["module"]
    return Features.of(
        [_tool(module, entry) for entry in catalogue["tools"]],
        [_prompt(module, entry) for entry in catalogue["prompts"]],
        [_resource(module, entry) for entry in catalogue["resources"]],
    )


def _tool(module: str, entry: Mapping[str, JSON]) -> Tool:
    work = LazyTool(module=module, name=entry["name"], **_plain(entry, SCHEMAS))
    return Tool(work=work, **_plain(entry, TOOL), **_spans(entry, TOOL_SPANS))


def _prompt(module: str, entry: Mapping[str, JSON]) -> Prompt:
    arguments = tuple(Argument(**argument) for argument in entry["arguments"])
    work = LazyPrompt(module=module, name=entry["name"])
    return Prompt(work=work, arguments=arguments, **_plain(entry, PROMPT))


def _resource(module: str, entry: Mapping[str, JSON]) -> Resource:
    work = LazyResource(module=module, uri=entry["uri"])
    return Resource(work=work, **_plain(entry, RESOURCE), **_spans(entry, RESOURCE_SPANS))


def _written(of: object, names: tuple[str, ...], spans: tuple[str, ...] = ()) -> dict[str, JSON]:
    return {name: getattr(of, name) for name in names} | {name: _seconds(getattr(of, name)) for name in spans}


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def _plain(entry: Mapping[str, JSON], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: entry[name] for name in names}


def _spans(entry: Mapping[str, JSON], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: None if entry[name] is None else timedelta(seconds=entry[name]) for name in names}


if __name__ == "__main__":
    try:
        sys.stdout.write(write(sys.argv[1]))
    except MissingMachine as error:
        sys.exit(str(error))
