"""Validates the content of a form against the requested schema, which is all that the endpoint knows of the form.

Formats: an email address is anything with an @ in it, and a date is year, month and day; a date-time and a URI are
what pydantic takes for them, as the form itself will.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache, partial
from math import isfinite
from typing import Any, Final

from mcp_tasks.authoring.wording import listed, quoted, short
from mcp_tasks.limits.requests import MAX_CHOICES_CHARACTERS, MAX_CHOSEN
from mcp_tasks.tasks.model import JSON

KINDS: Final[Mapping[str, str]] = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}
FORMATS: Final[Mapping[str, str]] = {
    "email": "an email address",
    "uri": "a URI, with its scheme",
    "date": "a date such as 2026-01-31",
    "date-time": "a date and time such as 2026-01-31T12:00:00Z",
}
BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters long",
    "maxLength": "at most {} characters long",
    "minItems": "at least {} of the choices",
    "maxItems": "at most {} of the choices",
}


def validation_error(schema: Mapping[str, JSON], content: Mapping[str, JSON]) -> str | None:
    """Return what does not fit the schema, field by field, or None if everything fits."""
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "content should be valid Unicode: it holds a lone surrogate"
    return listed(_faults(schema, content), lambda found: _complaint(*found)) or None


def _faults(schema: Mapping[str, JSON], content: Mapping[str, JSON]) -> Iterator[tuple[str, Any]]:
    """Yield the first fault of each field, with the field's path."""
    # jsonschema, which is imported below, brings it.
    from referencing import Registry

    known = set()
    # With an empty registry a remote `$ref` is an error, and is never fetched.
    validator = _validator()(schema, format_checker=_formats(), registry=Registry())
    for fault in validator.iter_errors(content):
        for where in _places(fault):
            if where not in known:
                known.add(where)
                yield where, fault


def _places(fault: Any) -> list[str]:
    if fault.validator == "required":
        return [name for name in fault.validator_value if name not in fault.instance]
    return [".".join(str(part) for part in fault.absolute_path)]


def _complaint(where: str, fault: Any) -> str:
    if fault.validator == "required":
        return f"{where} is missing"
    return f"{where} should be {_right(fault.validator, fault.validator_value)}, not {quoted(fault.instance)}"


def _right(keyword: str, wanted: Any) -> str:
    match keyword:
        case "type":
            return KINDS.get(wanted, wanted)
        case "format":
            return FORMATS.get(wanted, wanted)
        case "enum":
            return _one_of(wanted)
        case "items":
            return f"at most {MAX_CHOSEN:,} of the choices"
        case "oneOf" | "anyOf":
            return _one_of([each["const"] for each in wanted])
        case _:
            return BOUNDS.get(keyword, "as the form says").format(wanted)


def _one_of(choices: list[JSON]) -> str:
    return short(f"one of {', '.join(map(quoted, choices))}", MAX_CHOICES_CHARACTERS)


@cache
def _validator() -> Any:
    # Saves 100 ms of every cold start: few runs read the answer to a form.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    known = Draft202012Validator.TYPE_CHECKER

    def is_a(kind: str) -> Any:
        return lambda _, value: known.is_type(value, kind) and _is_finite(value)

    # A number that Python reads as infinite is none that the form could hold.
    finite = known.redefine_many({kind: is_a(kind) for kind in ("number", "integer")})
    return extend(Draft202012Validator, {"items": _items}, type_checker=finite)


def _items(validator: Any, items: JSON, instance: JSON, schema: Mapping[str, JSON]) -> Iterator[Any]:
    # Saves 100 ms, as above.
    from jsonschema import Draft202012Validator, ValidationError

    if isinstance(instance, list) and len(instance) > MAX_CHOSEN:
        yield ValidationError("too many items")
    else:
        yield from Draft202012Validator.VALIDATORS["items"](validator, items, instance, schema)


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:
        return False


@cache
def _formats() -> Any:
    # Saves 100 ms, as above.
    from jsonschema import FormatChecker

    checker = FormatChecker(("email", "date"))
    for name in ("uri", "date-time"):
        checker.checks(name, raises=ValueError)(partial(_is_in_format, name))
    return checker


def _is_in_format(name: str, value: JSON) -> bool:
    """Return True, or raise `ValueError`, as `FormatChecker` wants it."""
    if isinstance(value, str):
        _adapters()[name].validate_json(json.dumps(value), strict=True)
    return True


@cache
def _adapters() -> Mapping[str, Any]:
    # Saves 50 ms of every cold start: few forms ask for a URL or a time.
    from pydantic import AnyUrl, TypeAdapter

    return {"uri": TypeAdapter(AnyUrl), "date-time": TypeAdapter(datetime)}
