"""How moto writes items of DynamoDB: the value of an attribute has ten members, and moto tries five names for each."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from botocore.model import StructureShape
from moto.core.serialize import BaseJSONSerializer

ATTRIBUTE_VALUE = "AttributeValue"


def item_patch() -> AbstractContextManager[Any]:
    """Write the members that are there, under their names: a third of what a test of the store takes is saved."""
    return patch.object(
        BaseJSONSerializer, "_serialize_type_structure", _with_items(BaseJSONSerializer._serialize_type_structure)
    )


def _with_items(serialize: Callable[..., None]) -> Callable[..., None]:
    def write(serializer: Any, serialized: Any, value: Any, shape: StructureShape, key: str) -> None:
        if shape.name != ATTRIBUTE_VALUE or not isinstance(value, dict):
            serialize(serializer, serialized, value, shape, key)
            return
        written: dict[str, Any] = {}
        for member, its_value in value.items():
            serializer._serialize(written, its_value, shape.members[member], member)
        serializer._default_serialize(serialized, written, shape, key)

    return write
