"""A JSON Schema validator that takes linear time and bounded memory for keywords where jsonschema does not.

jsonschema compares every item with every other for `uniqueItems`, and matches `pattern` by Python's `re`, which takes
exponential time for some patterns.  For `anyOf` and `oneOf` it keeps all errors of all subschemas, each with the value.
`patternProperties` and `unevaluated...` are left as they are: use them in a schema only if their cost is acceptable.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, core_schema
from pydantic_core import ValidationError as NoMatch

from mcp_tasks.authoring.wording import quoted
from mcp_tasks.limits.requests import MAX_ERRORS_EXAMINED
from mcp_tasks.tasks.model import JSON

KEYWORDS = Draft202012Validator.VALIDATORS


def _unique_items(validator: Any, wanted: bool, instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    if not wanted or not isinstance(instance, list):
        return
    # As strings: Python salts their hashes, so that a client cannot make them collide.
    if len({json.dumps(_normal(item), sort_keys=True) for item in instance}) < len(instance):
        yield ValidationError("the items are not unique")


def _normal(value: JSON) -> JSON:
    """Return one form for all equal values: to JSON Schema 1.0 is 1."""
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
    """Return a matcher that takes linear time, or None for a pattern with look-arounds or back references."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return None


def _any_of(validator: Any, parts: Sequence[JSON], instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    faults = []
    for found in _faults(validator, parts, instance):
        if not found:
            return
        faults += found
    yield _fits_none(instance, faults)


def _one_of(validator: Any, parts: Sequence[JSON], instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    # In one pass, since a second would be repeated at each level of nested `oneOf`s.
    faults = list(_faults(validator, parts, instance))
    if all(faults):
        yield _fits_none(instance, [fault for found in faults for fault in found])
    elif faults.count([]) > 1:
        yield ValidationError(f"{quoted(instance)} is valid under more than one of the given schemas")


def _faults(validator: Any, parts: Sequence[JSON], instance: JSON) -> Iterator[list[Any]]:
    for index, part in enumerate(parts):
        yield list(islice(validator.descend(instance, part, schema_path=index), MAX_ERRORS_EXAMINED))


def _fits_none(instance: JSON, faults: Sequence[Any]) -> Any:
    return ValidationError(f"{quoted(instance)} is not valid under any of the given schemas", context=faults)


def _multiple_of(validator: Any, factor: float, instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    try:
        yield from KEYWORDS["multipleOf"](validator, factor, instance, schema)
    except OverflowError:
        yield ValidationError(f"{quoted(instance)} is too large to be told whether it is a multiple of {factor}")


LinearValidator: Any = extend(
    Draft202012Validator,
    {
        "uniqueItems": _unique_items,
        "pattern": _pattern,
        "anyOf": _any_of,
        "oneOf": _one_of,
        "multipleOf": _multiple_of,
    },
)
