"""The catalogue: the descriptions and schemas of all features as JSON, written when the layer is built.

With it, the endpoint lists features and starts tasks without the code of tools, which runs elsewhere.

    python -m mcp_tasks.features.catalogue MODULE
"""

import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from mcp_tasks.features.argument import Argument
from mcp_tasks.features.listing import Features
from mcp_tasks.features.prompts import Prompt, PromptWork
from mcp_tasks.features.resources import Resource, ResourceWork
from mcp_tasks.features.tools import Tool, Work
from mcp_tasks.tasks.json_values import READ_ERRORS, list_of, mapping, maybe
from mcp_tasks.tasks.model import JSON

logger = logging.getLogger(__name__)

T = TypeVar("T")
Entry: TypeAlias = Mapping[str, JSON]

KINDS = ("tools", "prompts", "resources")
TOOL = ("name", "title", "description", "tasks", "machine", "starts_inline", "immediate_response", "annotations")
TOOL_SPANS = ("timeout", "ttl", "poll_interval", "inline_wait", "handle_after", "join_within")
SCHEMAS = ("input_schema", "output_schema")
ARGUMENT = ("name", "description", "required")
PROMPT = ("name", "title", "description")
RESOURCE = ("uri", "name", "title", "description", "mime_type", "subscribable")
RESOURCE_SPANS = ("ttl",)
SCOPES = ("scopes",)
LATER = ("version", "not_before", "extra_arguments")
LATER_SPANS = ("expected",)
LATER_FLAGS = ("approvals",)


def write(module: str) -> str:
    """Return the catalogue of a module's `TOOLS`, `PROMPTS` and `RESOURCES`, as JSON."""
    features = Features.of_module(module)
    return json.dumps(
        {
            "tools": [
                _written(tool, TOOL + SCOPES + LATER + LATER_FLAGS, TOOL_SPANS + LATER_SPANS)
                | _written(tool.work, SCHEMAS)
                for tool in features.tools
            ],
            "prompts": [
                _written(prompt, PROMPT + SCOPES) | {"arguments": [asdict(argument) for argument in prompt.arguments]}
                for prompt in features.prompts
            ],
            "resources": [_written(resource, RESOURCE + SCOPES, RESOURCE_SPANS) for resource in features.resources],
        }
    )


class Works(Protocol):
    """Makes what stands for the code of features: it is not in this process."""

    def tool(self, name: str, input_schema: Mapping[str, JSON], output_schema: Mapping[str, JSON] | None) -> Work:
        """Return the work of a tool."""

    def prompt(self, name: str) -> PromptWork:
        """Return the work of a prompt."""

    def resource(self, uri: str) -> ResourceWork:
        """Return the work of a resource."""


def read(text: str, works: Works) -> Features:
    """Return the features of a catalogue, in its order, with these works; an entry that cannot be read is left out.

    Raises `ValueError` for what is no catalogue at all.
    """
    try:
        tools, prompts, resources = (list_of(mapping)(json.loads(text)[kind]) for kind in KINDS)
    except READ_ERRORS as error:
        raise ValueError("this release cannot read the catalogue: write it anew, by its own code") from error
    return Features.of(
        _readable("tools", tools, partial(_tool, works)),
        _readable("prompts", prompts, partial(_prompt, works)),
        _readable("resources", resources, partial(_resource, works)),
    )


def _readable(kind: str, entries: Iterable[Entry], read: Callable[[Entry], T]) -> Iterator[T]:
    for place, entry in enumerate(entries):
        try:
            yield read(entry)
        except READ_ERRORS as error:
            extra = {"fallback": "unreadable_entry"}
            logger.error("%s[%d] of the catalogue is left out, it cannot be read: %r", kind, place, error, extra=extra)


def _tool(works: Works, entry: Entry) -> Tool:
    work = works.tool(entry["name"], mapping(entry["input_schema"]), maybe(entry["output_schema"], mapping))
    # The catalogue of release 0.3 has none of these.
    later: dict[str, Any] = {"scopes": _scopes(entry), **{name: entry.get(name) for name in LATER}}
    later |= {name: entry.get(name, False) for name in LATER_FLAGS}
    later |= _spans({name: entry.get(name) for name in LATER_SPANS}, LATER_SPANS)
    return Tool(work=work, **later, **_plain(entry, TOOL), **_spans(entry, TOOL_SPANS))


def _prompt(works: Works, entry: Entry) -> Prompt:
    arguments = tuple(Argument(**_plain(argument, ARGUMENT)) for argument in entry["arguments"])
    work = works.prompt(entry["name"])
    return Prompt(work=work, arguments=arguments, scopes=_scopes(entry), **_plain(entry, PROMPT))


def _resource(works: Works, entry: Entry) -> Resource:
    work = works.resource(entry["uri"])
    return Resource(work=work, scopes=_scopes(entry), **_plain(entry, RESOURCE), **_spans(entry, RESOURCE_SPANS))


def _scopes(entry: Entry) -> tuple[str, ...]:
    # The catalogue of release 0.3 has none.
    return tuple(entry.get("scopes", ()))


def _written(of: object, names: tuple[str, ...], spans: tuple[str, ...] = ()) -> dict[str, JSON]:
    return {name: getattr(of, name) for name in names} | {name: _seconds(getattr(of, name)) for name in spans}


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def _plain(entry: Entry, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: entry[name] for name in names}


def _spans(entry: Entry, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: None if entry[name] is None else timedelta(seconds=entry[name]) for name in names}


if __name__ == "__main__":
    # Saves two modules of every cold start.
    from mcp_tasks.features.catalogue_command import print_catalogue

    print_catalogue(write, sys.argv[1])
