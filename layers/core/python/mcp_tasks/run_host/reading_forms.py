"""Reads the elicitations that a process with adopters' code sent, which the endpoint will check responses against.

A form is checked by a validator of JSON Schema, to which a stranger's schema could be anything: a regular expression
that takes hours, a reference to an address that only the endpoint reaches, or to itself.  So a form has what forms of
the protocol have, of the right types, and nothing else.  What does not fit raises one of `json_values.READ_ERRORS`.
-- 2025-11-25, Elicitation, Requested Schema
"""

from collections.abc import Mapping
from math import isfinite
from typing import Final

from mcp_tasks.authoring.form_fields import fault_of
from mcp_tasks.tasks.json_values import Read, integer, list_of, mapping, number, text
from mcp_tasks.tasks.model import JSON


def check_elicitation(params: Mapping[str, JSON]) -> None:
    """Return if these are the params of an elicitation, by a URL or a form."""
    text(params["message"])
    if params.get("mode", "form") == "url":
        text(params["url"])
        return
    schema = mapping(params["requestedSchema"])
    names = list_of(text)(schema.get("required", []))
    if schema.keys() - {"type", "properties", "required"} or schema["type"] != "object":
        raise ValueError
    fields = {name: mapping(field) for name, field in mapping(schema["properties"]).items()}
    if not fields.keys() >= set(names):
        raise ValueError
    for field in fields.values():
        _check_field(field)


def _check_field(field: Mapping[str, JSON]) -> None:
    for keyword, value in field.items():
        if keyword in VALUES:
            VALUES[keyword](value)
    if fault_of(field) is not None:
        raise ValueError


def _bound(value: JSON) -> float:
    if not isfinite(number(value)):
        raise ValueError
    return number(value)


def _count(value: JSON) -> int:
    if integer(value) < 0:
        raise ValueError
    return integer(value)


VALUES: Final[Mapping[str, Read[object]]] = {
    **dict.fromkeys(("type", "title", "description"), text),
    **dict.fromkeys(("enum", "enumNames"), list_of(text)),
    **dict.fromkeys(("minimum", "maximum"), _bound),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _count),
    "oneOf": list_of(mapping),
    "items": mapping,
}
