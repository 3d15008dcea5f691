"""Arguments that clients repeat as HTTP headers, where gateways and firewalls can see them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_tasks.tasks.model import JSON

KEYWORD: Final = "x-mcp-header"
TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
PRIMITIVES: Final = ("integer", "string", "boolean")
PLAIN: Final = frozenset({"properties", "default", "examples", "const", "enum", KEYWORD})
"""Keywords whose values are no schemas, or are looked at by name."""


@dataclass(frozen=True, slots=True)
class Header:
    """Annotate an argument with it: `region: Annotated[str, Header("Region")]` also travels as `Mcp-Param-Region`.

    Never for secrets: headers are logged on the way.  -- 2026-07-28, Streamable HTTP, Custom Headers
    """

    name: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Callable[[Any], dict[str, JSON]]) -> JSON:
        """Mark the argument in the schema that clients see."""
        return {**handler(core_schema), KEYWORD: self.name}


def mirrored(schema: Mapping[str, JSON]) -> Mapping[str, tuple[str, ...]]:
    """Return which arguments are repeated as headers: the path of each by the header's name.

    Raises `TypeError` for a mark where clients could not follow it, and would rather drop the whole tool.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, path, argument in _marks(schema, ()):
        if not isinstance(name, str) or not TOKEN.fullmatch(name):
            raise TypeError(f"{name!r} is no name for a header")
        if path is None or argument.get("type") not in PRIMITIVES:
            raise TypeError(f"header {name}: only an integer, a string or a boolean on its own can be one")
        if name.lower() in {other.lower() for other in found}:
            raise TypeError(f"two arguments are the header {name}")
        found[name] = path
    return found


def _marks(schema: JSON, path: tuple[str, ...] | None) -> Iterator[tuple[JSON, tuple[str, ...] | None, Any]]:
    """Yield every mark in a schema; the path is None where more than properties lead to it."""
    if isinstance(schema, Mapping) and KEYWORD in schema:
        yield schema[KEYWORD], path, schema
    for step, inner in _inside(schema):
        yield from _marks(inner, None if path is None or step is None else (*path, step))


def _inside(schema: JSON) -> Iterator[tuple[str | None, JSON]]:
    """Yield what a schema holds that may be a schema, with its name where it is a property."""
    if isinstance(schema, list):
        yield from ((None, each) for each in schema)
    elif isinstance(schema, Mapping):
        yield from schema.get("properties", {}).items()
        yield from ((None, part) for keyword, part in schema.items() if keyword not in PLAIN)
