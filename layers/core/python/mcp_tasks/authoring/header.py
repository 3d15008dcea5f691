"""Arguments that clients also send as HTTP headers, for gateways and firewalls to read."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_tasks.tasks.model import JSON

KEYWORD: Final = "x-mcp-header"
TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
PRIMITIVES: Final = ("integer", "string", "boolean")
WITHOUT_SUBSCHEMAS: Final = frozenset({"properties", "default", "examples", "const", "enum", KEYWORD})
"""Keywords whose values are no schemas; `properties` is handled on its own."""


@dataclass(frozen=True, slots=True)
class Header:
    """An annotation: `region: Annotated[str, Header("Region")]` is also sent as the HTTP header `Mcp-Param-Region`.

    Not for secrets: proxies log headers.  -- 2026-07-28, Streamable HTTP, Custom Headers
    """

    name: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Callable[[Any], dict[str, JSON]]) -> JSON:
        """Add `x-mcp-header` to the argument's schema."""
        return {**handler(core_schema), KEYWORD: self.name}


def header_arguments(schema: Mapping[str, JSON]) -> Mapping[str, tuple[str, ...]]:
    """Return the path of each argument that is also a header, by the header's name.

    Raises `TypeError` where the protocol forbids `x-mcp-header`: clients drop a tool with such a schema.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, path, argument in _header_keywords(schema, ()):
        if not isinstance(name, str) or not TOKEN.fullmatch(name):
            raise TypeError(f"{name!r} is no name for a header")
        if path is None or argument.get("type") not in PRIMITIVES:
            raise TypeError(f"header {name}: only an integer, a string or a boolean on its own can be one")
        if name.lower() in {other.lower() for other in found}:
            raise TypeError(f"two arguments are the header {name}")
        found[name] = path
    return found


def _header_keywords(schema: JSON, path: tuple[str, ...] | None) -> Iterator[tuple[JSON, tuple[str, ...] | None, Any]]:
    """Yield each `x-mcp-header` in a schema; its path is None unless properties alone lead to it."""
    if isinstance(schema, Mapping) and KEYWORD in schema:
        yield schema[KEYWORD], path, schema
    for step, inner in _inside(schema):
        yield from _header_keywords(inner, None if path is None or step is None else (*path, step))


def _inside(schema: JSON) -> Iterator[tuple[str | None, JSON]]:
    """Yield the subschemas of a schema, each with its name if it is a property."""
    if isinstance(schema, list):
        yield from ((None, each) for each in schema)
    elif isinstance(schema, Mapping):
        yield from schema.get("properties", {}).items()
        yield from ((None, part) for keyword, part in schema.items() if keyword not in WITHOUT_SUBSCHEMAS)
