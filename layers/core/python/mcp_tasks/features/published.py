r"""The schemas that clients are shown, made of those of pydantic: smaller, and without what clients misread; pure.

The schema of a result keeps the keywords that `features.fitting` checks, and leaves out those by which clients reject
what pydantic writes: most formats (a time without an offset is no RFC 3339), `pattern` (`\d` differs between
languages), `uniqueItems` (two values may be written alike), `multipleOf` (of floats), `oneOf` (two may fit).
"""

import json
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from mcp_tasks.features.patterns import is_ecmascript
from mcp_tasks.limits.tools import MAX_INLINED_CHARACTERS
from mcp_tasks.tasks.model import JSON

Schema: TypeAlias = dict[str, JSON]

NOTES: Final = frozenset({"description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
BOUNDS: Final = frozenset(f"{side}{what}" for side in ("min", "max") for what in ("Items", "Length", "imum")) | {
    "exclusiveMinimum",
    "exclusiveMaximum",
}
SHAPES: Final = frozenset({"properties", "required", "additionalProperties", "items", "prefixItems"})
CHECKED: Final = BOUNDS | SHAPES | {"$ref", "$defs", "type", "enum", "const", "anyOf", "allOf", "format"}
"""The keywords that the schema of a result may have, beside `NOTES` and extensions (`x-...`)."""

CHECKED_FORMATS: Final = ("date", "uuid")
WRITTEN_BY_PYDANTIC: Final = frozenset({"format", "minLength", "maxLength"})
"""Left out together: the length of bytes is not that of the text which stands for them."""

BY_NAME: Final = ("properties", "patternProperties", "$defs")
LISTED: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE: Final = ("items", "additionalProperties", "propertyNames")


def of_arguments(schema: Schema) -> Schema:
    """Return the schema of arguments without titles, `$ref`s, and patterns that some client cannot compile."""
    return _inlined(_argument(schema))


def of_result(schema: Schema) -> Schema:
    """Return the schema of a result as clients are shown it."""
    return _inlined(_result(schema))


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Yield the schemas that are directly in a schema, as `map_subschemas` finds them."""
    found: list[Schema] = []
    map_subschemas(schema, lambda each: found.append(each) or each)  # type: ignore[func-returns-value]
    yield from found


def map_subschemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Return a copy with each schema directly in it changed; a default or an example is none, whatever it holds."""

    def changed(part: JSON) -> JSON:
        return change(part) if isinstance(part, dict) else part

    def of(keyword: str, value: JSON) -> JSON:
        if keyword in BY_NAME:
            return {name: changed(part) for name, part in value.items()}
        if keyword in LISTED:
            return [changed(part) for part in value]
        return changed(value) if keyword in SINGLE else value

    return {keyword: of(keyword, value) for keyword, value in schema.items()}


def _argument(schema: Schema) -> Schema:
    patterns = [*schema.get("patternProperties", ()), *([schema["pattern"]] if "pattern" in schema else [])]
    # Pydantic adds each property's name as its title: tokens that a model pays for in every list.
    left_out = {"title", "discriminator"}
    if not all(map(is_ecmascript, patterns)):
        left_out |= {"pattern", "patternProperties"}
    return map_subschemas(_without(schema, left_out), _argument)


def _result(schema: Schema) -> Schema:
    schema = {"anyOf" if keyword == "oneOf" else keyword: value for keyword, value in schema.items()}
    patterns = list(schema.get("patternProperties", {}).values())
    if len(patterns) == 1 and "additionalProperties" not in schema:
        schema["additionalProperties"] = patterns[0]
    left_out = {keyword for keyword in schema if keyword not in CHECKED | NOTES and not keyword.startswith("x-")}
    if "format" in schema and schema["format"] not in CHECKED_FORMATS:
        left_out |= WRITTEN_BY_PYDANTIC
    return map_subschemas(_without(schema, left_out), _result)


def _without(schema: Schema, keywords: set[str] | frozenset[str]) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword not in keywords}


def _inlined(schema: Schema) -> Schema:
    """Return a schema whose `$ref`s are only those of recursive types, as some hosts drop `$defs`.

    It is returned as it is where it would be too large: types that share others may grow without bounds.
    """
    named: dict[str, Schema] = schema.get("$defs", {})
    recursive = {name for name in named if name in _reached(name, named)}
    expanded: dict[str, Schema] = {}

    def expand(part: Schema) -> Schema:
        name = _name_of(part)
        if name is None or name in recursive:
            return map_subschemas(part, expand)
        if name not in expanded:
            expanded[name] = expand(named[name])
        return _merged(expanded[name], map_subschemas(_without(part, {"$ref"}), expand))

    made = expand(_without(schema, {"$defs"}))
    if recursive:
        made["$defs"] = {name: expand(named[name]) for name in named if name in recursive}
    return made if _is_small(made) else schema


def _name_of(schema: Schema) -> str | None:
    return schema["$ref"].rpartition("/")[2] if "$ref" in schema else None


def _reached(name: str, named: dict[str, Schema]) -> set[str]:
    """Return the names of the types that a type refers to, directly or not."""
    found: set[str] = set()
    left = [*subschemas({"allOf": [named[name]]})]
    while left:
        part = left.pop()
        inner = _name_of(part)
        if inner is not None and inner not in found:
            found.add(inner)
            left.append(named[inner])
        left += subschemas(part)
    return found


def _merged(target: Schema, beside: Schema) -> Schema:
    """Return what a `$ref` means: its target, and the keywords beside it."""
    if target.keys() & beside.keys() - NOTES:
        return {"allOf": [target], **beside}
    return target | beside


def _is_small(schema: Schema) -> bool:
    size = 0
    # Piece by piece: a schema of a few names may be written out to gigabytes.
    for piece in json.JSONEncoder().iterencode(schema):
        size += len(piece)
        if size > MAX_INLINED_CHARACTERS:
            return False
    return True
