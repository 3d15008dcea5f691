"""Values that functions return, as the JSON and the content blocks that clients are sent.

A value that cannot be sent raises `BadResult`, which names the item: `it[2]['picture']`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence, Set, ValuesView
from dataclasses import fields, is_dataclass
from math import isfinite
from pathlib import PurePath
from typing import Any

from pydantic_core import to_jsonable_python

from mcp_tasks.authoring.contents import Content, block_of
from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.authoring.library_values import values_of
from mcp_tasks.authoring.no_data import NoData
from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.wording import short
from mcp_tasks.tasks.model import JSON

IT = "it"


def blocks_of(value: Any) -> list[dict[str, JSON]]:
    """Return the content blocks of a value: one text, or a block for each item of a list that holds a content.

    None has no block, alone and in a list.
    """
    items = value if isinstance(value, list | tuple) else [value]
    if has_content(value):
        places = [IT] if items is not value else [f"{IT}[{place}]" for place in range(len(items))]
        return [_block(item, where) for item, where in zip(items, places, strict=True) if item is not None]
    return [] if value is None else [_block(value, IT)]


def has_content(value: Any) -> bool:
    """Return whether a value is a content, or a list that holds one."""
    return any(isinstance(item, Content) for item in (value if isinstance(value, list | tuple) else [value]))


def written(value: Any, where: str = IT) -> str:
    """Return a value as a text of JSON; raises `BadResult`."""
    return json.dumps(as_json(value, where), ensure_ascii=False, separators=(",", ":"))


def as_json(value: Any, where: str = IT) -> JSON:
    """Return a value as JSON: NaN and infinity as null, and half characters as question marks; raises `BadResult`."""
    try:
        return _json(value, where)
    except RecursionError:
        raise BadResult(f"{where} is nested too deeply, or holds itself") from None


def _block(item: Any, where: str) -> dict[str, JSON]:
    if not isinstance(item, str | Content):
        return block_of(written(item, where))
    try:
        return block_of(item)
    except (TypeError, ValueError) as error:
        raise BadResult(f"{where}: {error}") from error


def _json(value: Any, where: str) -> JSON:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if isfinite(value) else None
        case str():
            return sendable(value)
        case bytes() | bytearray() | memoryview():
            return _text(bytes(value), where)
        case Mapping():
            return {_key(key, where): _json(each, f"{where}[{short(repr(key))}]") for key, each in value.items()}
        case Sequence() | Set() | ValuesView() | Iterator():
            return [_json(each, f"{where}[{place}]") for place, each in enumerate(value)]
    return _other(value, where)


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadResult(f"{where} is bytes that are no text: return an Image, Audio or EmbeddedResource") from None


def _key(key: Any, where: str) -> str:
    if isinstance(key, str | PurePath):
        return sendable(str(key))
    try:
        (found,) = to_jsonable_python({key: None})
    except Exception as error:
        raise BadResult(f"a key of {where} is of type {_type(key)}, which has no JSON: write it as a text") from error
    return str(found)


def _other(value: Any, where: str) -> JSON:
    """Return a value of any other type: a dataclass, a value of a library that is known here, or one of pydantic's."""
    if isinstance(value, NoData):
        raise BadResult(value.refusal(where))
    if isinstance(value, PurePath):
        return sendable(str(value))
    if _knows_itself(value):
        return _pydantic(value, where)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _json(getattr(value, each.name), f"{where}.{each.name}") for each in fields(value)}
    try:
        plain = values_of(value)
    except ValueError as error:
        raise BadResult(f"{where} is of type {_type(value)}, and {error}") from None
    return _pydantic(value, where) if plain is value else _json(plain, where)


def _pydantic(value: Any, where: str) -> JSON:
    try:
        found = to_jsonable_python(value, fallback=_known)
    except Exception as error:
        for name, each in _attributes(value).items():
            # Raises for the item at fault, which pydantic does not name.
            _json(each, f"{where}.{name}")
        why = str(error) if _knows_itself(value) else "return what is in it, as dict, list, str and numbers"
        raise BadResult(f"{where} is of type {_type(value)}, which has no JSON: {why}") from error
    # A model may hold NaN, which is null in all that is written here.
    return _json(found, where) if isinstance(found, dict | list | float) else found


def _attributes(value: Any) -> Mapping[str, Any]:
    """Return what a model or a dataclass holds, by name; nothing for a value of any other type."""
    if not _knows_itself(value):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return {**vars(value), **(getattr(value, "__pydantic_extra__", None) or {})}


def _known(unknown: Any) -> Any:
    plain = values_of(unknown)
    if plain is unknown:
        raise TypeError(f"{_type(unknown)} has no JSON")
    return plain


def _knows_itself(value: Any) -> bool:
    """Return whether a value is a model of pydantic's, or a dataclass, which write themselves."""
    return hasattr(type(value), "__pydantic_serializer__")


def _type(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
