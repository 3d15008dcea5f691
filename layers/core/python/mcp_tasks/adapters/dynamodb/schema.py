"""The schema version on the items of the table, and the rejection of items that a newer release wrote; pure, no I/O.

Readers ignore attributes they do not know and default those they miss, so a version rises only where the code of the
release before would misread what is written.  Keys, `schema`, `expiresAt`, `goneAt`, `liveShard`, `checkAt`,
`launched` and `lease` belong to no version, as do the kinds of items in `KINDS_WITHOUT_VERSION`: every release reads
and writes them the same.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from mcp_tasks.adapters.dynamodb.items import Item, epoch
from mcp_tasks.adapters.dynamodb.reading import Fields, integer_attribute, name_of
from mcp_tasks.tasks.errors import NewerSchema

SCHEMAS: Final[Mapping[str, int]] = {
    "args": 2,
    "decided": 2,
    "idem": 2,
    "inbox": 2,
    "key": 2,
    "lease": 2,
    "link": 2,
    "plan": 2,
    "reply": 2,
    "result": 2,
    "step": 2,
    "task": 2,
}
"""What this release writes, and the most that it reads, by the kind that a sort key begins with.

A revision of the protocol that keeps items of its own adds their kinds (`Table.with_schemas`).
"""

# Their items hold numbers, or nothing but their key, which means the same in every release: one that needs more
# takes another kind.  So a slot is released and a notification claimed, whatever release did it before.
KINDS_WITHOUT_VERSION: Final = frozenset(
    {"asks", "changed", "held", "kept", "queue", "quota", "rate", "released", "tenant", "told", "took", "using"}
)

# Release 0.1 wrote none.
RELEASE_0_1_VERSION: Final = 1

NOT_NEWER: Final = "(attribute_not_exists(#schema) OR #schema <= :schema OR goneAt <= :present)"


def versioned(verb: str, request: Mapping[str, Any], now: datetime, schemas: Mapping[str, int]) -> Item:
    """Return the write request with the schema version of the item's kind in what it puts or updates.

    An update or conditional put gets one more condition: it fails where a newer release's item is stored and live.
    """
    if _kind(request.get("Item") or request["Key"]) in KINDS_WITHOUT_VERSION:
        return dict(request)
    match verb:
        case "Put":
            version = _version(request["Item"], schemas)
            put = {**request, "Item": {**request["Item"], "schema": version}}
            return _guarded(put, version, now) if "ConditionExpression" in request else put
        case "Update":
            update = {**request, "UpdateExpression": _setting(request["UpdateExpression"])}
            return _guarded(update, _version(request["Key"], schemas), now)
        case _:
            return dict(request)


def _guarded(request: Item, version: Item, now: datetime) -> Item:
    condition = request.get("ConditionExpression")
    return {
        **request,
        "ConditionExpression": NOT_NEWER if condition is None else f"({condition}) AND {NOT_NEWER}",
        "ExpressionAttributeNames": {**request.get("ExpressionAttributeNames", {}), "#schema": "schema"},
        "ExpressionAttributeValues": {
            **request.get("ExpressionAttributeValues", {}),
            ":schema": version,
            ":present": epoch(now),
        },
    }


def check_schema(item: Mapping[str, Any], schemas: Mapping[str, int] = SCHEMAS) -> None:
    """Raise `NewerSchema` if a newer release wrote the item, or the image of it in the stream.

    Raises `UnreadableItem` where the item's version is damaged.
    """
    if _kind(item) in KINDS_WITHOUT_VERSION:
        return
    found = Fields.of(item).optional("schema", integer_attribute, RELEASE_0_1_VERSION)
    known = schemas[_kind(item)]
    if found > known:
        raise NewerSchema(name_of(item), found=found, known=known)


def _kind(item: Mapping[str, Any]) -> str:
    kind: str = item["SK"]["S"].partition("#")[0]
    return kind


def _version(item: Mapping[str, Any], schemas: Mapping[str, int]) -> Item:
    # Raises KeyError for a kind without a version, so that none is written by mistake.
    return {"N": str(schemas[_kind(item)])}


def _setting(expression: str) -> str:
    # DynamoDB accepts one SET clause.
    added = "SET #schema = :schema"
    before, found, after = expression.partition("SET ")
    return f"{before}{added}, {after}" if found else f"{expression} {added}"
