"""What there is to know of tools without importing them.

Tools bring pydantic and whatever their authors import, and most messages need none of it: to list tools and to start
tasks the door reads what was written down when the layer was built.

    python -m mcp_tasks.catalogue MODULE
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import Any

from mcp_tasks.context import Context
from mcp_tasks.tasks.model import JSON, Returned
from mcp_tasks.tools import Tool, Work

PLAIN = ("name", "title", "description", "tasks", "machine", "annotations")
SPANS = ("timeout", "ttl", "poll_interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The work of a tool in a module that is imported when somebody calls it, and not before."""

    module: str
    name: str
    input_schema: Mapping[str, JSON]
    output_schema: Mapping[str, JSON] | None

    @property
    def function(self) -> Callable[..., Any]:
        """The plain function; see `Work`."""
        return self._work.function

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Check the arguments; see `Work`."""
        return self._work.check(arguments)

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Call the function; see `Work`."""
        return self._work.call(arguments, context)

    def returned(self, value: Any) -> Returned:
        """Say what was returned; see `Work`."""
        return self._work.returned(value)

    @property
    def _work(self) -> Work:
        tools: Iterable[Tool] = import_module(self.module).TOOLS
        return next(tool.work for tool in tools if tool.name == self.name)


def write(module: str) -> str:
    """Return the catalogue of a module's `TOOLS`, as JSON."""
    return json.dumps({"module": module, "tools": [_entry(tool) for tool in import_module(module).TOOLS]})


def read(text: str) -> list[Tool]:
    """Return the tools of a catalogue, in its order."""
    catalogue = json.loads(text)
    return [_tool(catalogue["module"], entry) for entry in catalogue["tools"]]


def _entry(tool: Tool) -> dict[str, JSON]:
    plain = {name: getattr(tool, name) for name in PLAIN}
    spans = {name: _seconds(getattr(tool, name)) for name in SPANS}
    return plain | spans | {"input_schema": tool.work.input_schema, "output_schema": tool.work.output_schema}


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def _tool(module: str, entry: Mapping[str, JSON]) -> Tool:
    schemas = {name: entry[name] for name in ("input_schema", "output_schema")}
    spans: dict[str, Any] = {name: None if entry[name] is None else timedelta(seconds=entry[name]) for name in SPANS}
    work = Listed(module=module, name=entry["name"], **schemas)
    return Tool(work=work, **{name: entry[name] for name in PLAIN}, **spans)


if __name__ == "__main__":
    sys.stdout.write(write(sys.argv[1]))
