"""Plain data: what crosses from one process to another, and from one release to another."""

from collections.abc import Mapping
from typing import Any


def plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with the very types of JSON, as it would be sent: an enum that is text becomes text."""
    return {_text(name): _attribute(attribute) for name, attribute in item.items()}


def _attribute(attribute: Mapping[str, Any]) -> Mapping[str, Any]:
    ((kind, value),) = attribute.items()
    match kind:
        case "S" | "N":
            return attribute if type(value) is str else {kind: _text(value)}
        case "BOOL" | "B":
            assert type(value) in (bool, bytes), value
            return attribute
        case "M":
            return {kind: plain_item(value)}
        case "L":
            return {kind: [_attribute(each) for each in value]}
        case _:
            raise NotImplementedError(f"attributes of the type {kind} are not simulated")


def _text(value: object) -> str:
    assert isinstance(value, str), f"{value!r} is no text"
    return str.__str__(value)
