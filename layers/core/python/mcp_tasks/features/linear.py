"""JSON Schema with two keywords checked in linear time, whatever a client sends.

The library compares every item with every other for `uniqueItems`, and has a `pattern` matched by Python, which for
some patterns takes time exponential in the text.  `patternProperties` and `unevaluated...` are the library's own:
whoever writes them into a schema should know what they cost.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, core_schema
from pydantic_core import ValidationError as NoMatch

from mcp_tasks.tasks.model import JSON

KEYWORDS = Draft202012Validator.VALIDATORS


def _unique_items(validator: Any, wanted: bool, instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    if not wanted or not isinstance(instance, list):
        return
    # As texts, whose hashes nobody can make collide.
    if len({json.dumps(_normal(item), sort_keys=True) for item in instance}) < len(instance):
        yield ValidationError("the items are not unique")


def _normal(value: JSON) -> JSON:
    """Write a value as every equal one is written: to JSON Schema 1.0 is 1."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_normal(each) for each in value]
        case dict():
            return {name: _normal(each) for name, each in value.items()}
        case _:
            return value


def _pattern(validator: Any, pattern: str, instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    known = _matcher(pattern)
    if known is None:
        yield from KEYWORDS["pattern"](validator, pattern, instance, schema)
    elif isinstance(instance, str):
        try:
            known.validate_python(instance)
        except NoMatch:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


@lru_cache(maxsize=1_000)
def _matcher(pattern: str) -> SchemaValidator | None:
    """Return what matches a pattern in linear time; None for one with look-arounds or back references."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return None


LinearValidator: Any = extend(Draft202012Validator, {"uniqueItems": _unique_items, "pattern": _pattern})
