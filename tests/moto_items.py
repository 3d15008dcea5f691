"""What moto takes long for where the store is tested: writing items, reading expressions, and copying a table."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy, deepcopy
from functools import cache
from typing import Any
from unittest.mock import patch

from botocore.model import StructureShape
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing.expressions import UpdateExpressionParser  # type: ignore[attr-defined]  # moto types nothing in it

ATTRIBUTE_VALUE = "AttributeValue"


@contextmanager
def quick_items() -> Iterator[None]:
    """Have each take less: the tests of the store wait for moto most of the time."""
    with ExitStack() as stack:
        for place, name, quick in QUICK:
            stack.enter_context(patch.object(place, name, quick, create=True))
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


def _sharing_scalars(copied: Callable[..., DynamoType]) -> Callable[..., DynamoType]:
    """Copy what may be changed, which no scalar is: another one takes its place."""
    return lambda value, memo: copied(value, memo) if isinstance(value.value, list | dict) else value


def _sharing_items(table: Table, memo: dict[int, Any]) -> Table:
    """Copy a table as far as transactions change it: what is in it takes the place of something else, as a whole."""
    shared: Any = copy(table)
    shared.items = defaultdict(dict)
    for key, found in table.items.items():
        shared.items[key] = dict(found) if isinstance(found, dict) else found
    if table.stream_shard is not None:
        shared.stream_shard = copy(table.stream_shard)
        shared.stream_shard.table = shared
        shared.stream_shard.items = list(table.stream_shard.items)
    copied: Table = shared
    return copied


def _of_a_copy(update: Callable[..., Item]) -> Callable[..., Item]:
    """Put a copy in the place of the item that is updated, since moto changes the item itself."""

    def update_copy(backend: DynamoDBBackend, table_name: str, key: dict[str, Any], **how: Any) -> Item:
        table: Any = backend.get_table(table_name)
        hash_key, range_key = backend.get_keys_value(table, key)
        if (item := table.get_item(hash_key, range_key)) is not None:
            if range_key is None:
                table.items[hash_key] = deepcopy(item)
            else:
                table.items[hash_key][range_key] = deepcopy(item)
        return update(backend, table_name, key, **how)

    return update_copy


def _lexed_once(lex: Callable[..., deque[Any]]) -> Callable[..., deque[Any]]:
    """Split an expression once; the parser takes its parts out of the queue and makes others of them."""
    parts = cache(lambda expression: tuple(lex(ConditionExpressionParser(expression, None, None))))
    return lambda parser: deque(parts(parser.condition_expression))


_LEX = "_lex_condition_expression"
QUICK: list[tuple[Any, str, Any]] = [
    (BaseJSONSerializer, "_serialize_type_structure", _with_items(BaseJSONSerializer._serialize_type_structure)),
    # Each action of a transaction copies the table, to be able to go back, and with it the table's stream.
    (Table, "__deepcopy__", _sharing_items),
    (DynamoDBBackend, "update_item", _of_a_copy(DynamoDBBackend.update_item)),
    (DynamoType, "__deepcopy__", _sharing_scalars(DynamoType.__deepcopy__)),
    # The server has few expressions, with other values each time.  An update is made from a copy of what was read.
    (ConditionExpressionParser, _LEX, _lexed_once(ConditionExpressionParser._lex_condition_expression)),
    (UpdateExpressionParser, "make", cache(UpdateExpressionParser.make)),
]
"""Of which class, what, and by what it is replaced."""
