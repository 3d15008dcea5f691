"""Checks a result against the schema that clients are shown: what does not fit, their validators would reject.

The schema has the keywords of `features.published`, of which pydantic's own validator is made: it is fast, is there,
and names the field at fault.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor
from typing import Any, Final, TypeAlias

from pydantic_core import SchemaValidator
from pydantic_core.core_schema import (
    CoreSchema,
    any_schema,
    bool_schema,
    chain_schema,
    date_schema,
    definition_reference_schema,
    definitions_schema,
    float_schema,
    int_schema,
    list_schema,
    literal_schema,
    none_schema,
    nullable_schema,
    str_schema,
    tuple_schema,
    typed_dict_field,
    typed_dict_schema,
    union_schema,
)

from mcp_tasks.tasks.model import JSON

LARGEST: Final = int(sys.float_info.max)
"""A larger number is infinite to JavaScript, which takes it for none."""

Bound: TypeAlias = tuple[str, Callable[[Any], Any]]
ITEMS: Final[Mapping[str, Bound]] = {"minItems": ("min_length", int), "maxItems": ("max_length", int)}
CHARACTERS: Final[Mapping[str, Bound]] = {"minLength": ("min_length", int), "maxLength": ("max_length", int)}
WHOLE: Final[Mapping[str, Bound]] = {
    "minimum": ("ge", ceil),
    "maximum": ("le", floor),
    "exclusiveMinimum": ("gt", floor),
    "exclusiveMaximum": ("lt", ceil),
}
REAL: Final[Mapping[str, Bound]] = {keyword: (name, float) for keyword, (name, _) in WHOLE.items()}

PATTERNS: Final[Mapping[str, str]] = {
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}


def validator_of(schema: Mapping[str, JSON]) -> SchemaValidator:
    """Return what checks the JSON of a result; its `validate_json` raises `ValidationError`."""
    named = [{**_core(part), "ref": name} for name, part in schema.get("$defs", {}).items()]
    whole = _core(schema)
    return SchemaValidator(definitions_schema(whole, named) if named else whole)  # type: ignore[arg-type]


def _core(schema: JSON) -> CoreSchema:
    if not isinstance(schema, Mapping):
        return any_schema()
    parts = list(_parts(schema))
    if not parts:
        return any_schema()
    return parts[0] if len(parts) == 1 else chain_schema(parts)


def _parts(schema: Mapping[str, JSON]) -> Iterable[CoreSchema]:
    """Yield what a value has to fit, all of it."""
    if "$ref" in schema:
        yield definition_reference_schema(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        yield _any_of(schema["anyOf"])
    yield from map(_core, schema.get("allOf", ()))
    if "enum" in schema or "const" in schema:
        yield literal_schema(schema["enum"] if "enum" in schema else [schema["const"]])
    elif isinstance(kinds := schema.get("type"), list):
        yield union_schema([_of_kind(kind, schema) for kind in kinds], mode="left_to_right")
    elif kinds is not None:
        yield _of_kind(kinds, schema)


def _any_of(choices: Sequence[JSON]) -> CoreSchema:
    others = [choice for choice in choices if choice != {"type": "null"}]
    either: list[CoreSchema | tuple[CoreSchema, str]] = [_core(choice) for choice in others]
    one = _core(others[0]) if len(others) == 1 else union_schema(either, mode="left_to_right")
    return nullable_schema(one) if len(others) < len(choices) else one


def _of_kind(kind: str, schema: Mapping[str, JSON]) -> CoreSchema:
    match kind:
        case "object":
            return _object(schema)
        case "array":
            return _array(schema)
        case "string":
            return _text(schema)
        case "integer":
            return int_schema(strict=True, **{"ge": -LARGEST, "le": LARGEST} | _bounds(schema, WHOLE))
        case "number":
            return float_schema(strict=True, allow_inf_nan=False, **_bounds(schema, REAL))
        case "boolean":
            return bool_schema(strict=True)
    return none_schema()


def _object(schema: Mapping[str, JSON]) -> CoreSchema:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    required = schema.get("required", ())
    fields = {
        name: typed_dict_field(_core(known.get(name)), required=name in required)
        for name in {**known, **dict.fromkeys(required)}
    }
    if more is False:
        return typed_dict_schema(fields, extra_behavior="forbid")
    return typed_dict_schema(fields, extra_behavior="allow", extras_schema=_core(more))


def _array(schema: Mapping[str, JSON]) -> CoreSchema:
    first = [_core(part) for part in schema.get("prefixItems", ())]
    rest, bounds = _core(schema.get("items")), _bounds(schema, ITEMS)
    if not first:
        return list_schema(rest, **bounds)
    return tuple_schema([*first, rest], variadic_item_index=len(first), **bounds)


def _text(schema: Mapping[str, JSON]) -> CoreSchema:
    form = schema.get("format", "")
    text = str_schema(strict=True, pattern=PATTERNS.get(form), **_bounds(schema, CHARACTERS))
    return chain_schema([text, date_schema()]) if form == "date" else text


def _bounds(schema: Mapping[str, JSON], bounds: Mapping[str, Bound]) -> dict[str, Any]:
    return {name: read(schema[keyword]) for keyword, (name, read) in bounds.items() if keyword in schema}
