"""The fields that forms may have in the protocol: flat, of one kind, and shown by every client."""

from collections.abc import Mapping
from typing import Any, Final

from mcp_tasks.tasks.model import JSON

COMMON: Final = frozenset({"type", "title", "description", "default"})
CHOICES: Final = frozenset({"enum", "enumNames", "oneOf"})
KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": COMMON | CHOICES | {"minLength", "maxLength", "format"},
    "number": COMMON | {"minimum", "maximum"},
    "integer": COMMON | {"minimum", "maximum"},
    "boolean": COMMON,
    "array": COMMON | {"items", "minItems", "maxItems"},
}
FORMATS: Final = ("email", "uri", "date", "date-time")


def fault_of(field: Mapping[str, Any]) -> str | None:
    """Return why a form cannot have this field, or None if it can."""
    kind = str(field.get("type"))
    if kind not in KEYWORDS:
        return "a field is a str, int, float, bool, a Literal or Enum of texts, or a list of such choices"
    beyond = field.keys() - KEYWORDS[kind]
    if beyond:
        return f"clients know no {', '.join(sorted(beyond))} of a {kind}"
    if field.get("format") not in (None, *FORMATS):
        return f"its format is one of {', '.join(FORMATS)}"
    if kind == "array" and not _are_choices(field.get("items")):
        return "a list is one of texts to choose from"
    if not _are_titled(field.get("oneOf", [])):
        return "each choice has a const and a title, both of them texts"
    return None


def _are_choices(items: JSON) -> bool:
    match items:
        case {"type": "string", "enum": list(texts), **rest}:
            return not rest and all(isinstance(each, str) for each in texts)
        case {"anyOf": options, **rest}:
            return rest in ({}, {"type": "string"}) and _are_titled(options)
        case _:
            return False


def _are_titled(options: JSON) -> bool:
    titled = (isinstance(each, dict) and each.keys() == {"const", "title"} for each in options)
    return all(titled) and all(isinstance(text, str) for each in options for text in each.values())
