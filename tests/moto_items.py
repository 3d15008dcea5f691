"""What moto takes long for where the store is tested: writing items, and copying all that was ever written."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from botocore.model import StructureShape
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.models.table import StreamRecord

ATTRIBUTE_VALUE = "AttributeValue"


@contextmanager
def quick_items() -> Iterator[None]:
    """Have both take less: a test of the store then takes half as long."""
    write = _with_items(BaseJSONSerializer._serialize_type_structure)
    with ExitStack() as stack:
        stack.enter_context(patch.object(BaseJSONSerializer, "_serialize_type_structure", write))
        # Each transaction copies its table, to be able to go back, and with it the table's stream.  No record of that
        # ever changes.
        stack.enter_context(patch.object(StreamRecord, "__deepcopy__", lambda record, memo: record, create=True))
        yield


def _with_items(serialize: Callable[..., None]) -> Callable[..., None]:
    """Write the members of an attribute's value that are there; moto looks for all ten, under five names each."""

    def write(serializer: Any, serialized: Any, value: Any, shape: StructureShape, key: str) -> None:
        if shape.name != ATTRIBUTE_VALUE or not isinstance(value, dict):
            serialize(serializer, serialized, value, shape, key)
            return
        written: dict[str, Any] = {}
        for member, its_value in value.items():
            serializer._serialize(written, its_value, shape.members[member], member)
        serializer._default_serialize(serialized, written, shape, key)

    return write
