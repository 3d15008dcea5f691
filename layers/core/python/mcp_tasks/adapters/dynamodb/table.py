"""The one DynamoDB table: reads that see nothing expired, and conditional writes that tell which condition failed.

Every item gets the schema version of its kind here, whoever writes it; every method raises `NewerSchema` when it meets
a live item that a newer release wrote, except `query`, which leaves such items out.
"""

import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.items import Item, can_exist, ends_at
from mcp_tasks.adapters.dynamodb.schema import check_schema, marked
from mcp_tasks.ports.clock import Clock
from mcp_tasks.tasks.errors import NewerSchema

logger = logging.getLogger(__name__)

REFUSED: Final = frozenset({"ConditionalCheckFailed", "ConditionalCheckFailedException"})

# What passes when somebody else's transaction on the same item is through.  The client library repeats requests that
# are throttled, but not these.
BUSY: Final = frozenset(
    {"TransactionConflict", "TransactionConflictException", "ThrottlingError", "ProvisionedThroughputExceeded"}
)
LONGEST_READ: Final = 1_000
WAITS: Final = tuple(timedelta(milliseconds=20 * 2**attempt) for attempt in range(7))


class ConditionFailed(Exception):
    """Conditions did not hold, so nothing was written."""

    def __init__(self, reasons: list[dict[str, Any]]) -> None:
        """Keep DynamoDB's reasons, one for each action of the write."""
        super().__init__(", ".join(reason["Code"] for reason in reasons))
        self._reasons = reasons

    @property
    def failed(self) -> set[int]:
        """Return the places of the actions whose condition failed."""
        return {place for place, reason in enumerate(self._reasons) if reason["Code"] in REFUSED}

    def stored(self, place: int) -> Item:
        """Return the item that made the condition of that action fail, empty if there is none."""
        return self._reasons[place].get("Item") or {}


class Busy(ClientError):  # type: ignore[misc]  # botocore is not typed
    """Others were at the same items all the time, so nothing was written."""

    @property
    def places(self) -> set[int]:
        """Return the places of the actions that others were in the way of."""
        return {place for place, reason in enumerate(_reasons(self)) if reason["Code"] in BUSY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The table, through a low-level client; `chance` is at least 0 and below 1."""

    client: Any
    name: str
    clock: Clock
    chance: Callable[[], float] = random.random

    def get(self, key: Item) -> Item | None:
        """Return the item as last written, unless it is expired."""
        if not can_exist(key):
            return None
        item: Item | None = self.client.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")
        if item is None or ends_at(item) <= self.clock.now():
            return None
        check_schema(item)
        return item

    def query(self, *, limit: int, **request: Any) -> Iterator[Item]:
        """Yield the items that a Query finds, at first `limit` at a time, while somebody wants more."""
        while True:
            answer = self.client.query(TableName=self.name, Limit=limit, **request)
            yield from filter(_is_readable, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            # A page may be full of what a filter dropped; larger and larger ones get past any number of those.
            limit = max(limit, min(4 * limit, LONGEST_READ))

    def transact(self, *actions: Item) -> None:
        """Do all of the actions or none; raises `ConditionFailed`.

        The client library gives each transaction a token.  So one that it repeats after a lost answer succeeds again
        instead of finding its own work in the way, which holds for no other kind of conditional write.
        """
        self._patiently(self.client.transact_write_items, TransactItems=[self._addressed(action) for action in actions])

    def put(self, item: Item) -> None:
        """Put the item, whatever is there."""
        (request,) = self._addressed(putting(item)).values()
        self.client.put_item(**request)

    def add(self, item: Item) -> None:
        """Put the item unless one is there; raises `ConditionFailed`, with the one that is there."""
        (request,) = self._addressed(adding(item)).values()
        self._patiently(self.client.put_item, **request)

    def update(self, **request: Any) -> None:
        """Update one item; raises `ConditionFailed`."""
        (request,) = self._addressed({"Update": request}).values()
        self._patiently(self.client.update_item, **request)

    def update_unversioned(self, **request: Any) -> None:
        """Update attributes that belong to no schema version, on an item of any; raises `ConditionFailed`."""
        self._patiently(self.client.update_item, TableName=self.name, **request)

    def delete(self, **request: Any) -> None:
        """Delete one item; raises `ConditionFailed`."""
        self._patiently(self.client.delete_item, TableName=self.name, **request)

    def _addressed(self, action: Item) -> Item:
        ((verb, unmarked),) = action.items()
        request = marked(verb, unmarked, self.clock.now())
        address = {"TableName": self.name}
        if "ConditionExpression" in request:
            address["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return {verb: address | request}

    def _patiently(self, call: Callable[..., Any], **request: Any) -> None:
        for wait in (*WAITS, None):
            try:
                call(**request)
                return
            except ClientError as error:
                reasons = _reasons(error)
                codes = {reason["Code"] for reason in reasons} - {"None"}
                if codes & REFUSED:
                    self._check_readable(reasons)
                    raise ConditionFailed(reasons) from error
                if not codes <= BUSY:
                    raise
                if wait is None:
                    raise Busy(error.response, error.operation_name) from error
            self.clock.sleep(wait * self.chance())

    def _check_readable(self, reasons: list[dict[str, Any]]) -> None:
        for reason in reasons:
            item = reason.get("Item")
            if item and ends_at(item) > self.clock.now():
                check_schema(item)


def adding(item: Item) -> Item:
    """Return the action of a transaction that puts an item unless one is there."""
    return {"Put": {"Item": item, "ConditionExpression": "attribute_not_exists(PK)"}}


def putting(item: Item) -> Item:
    """Return the action of a transaction that puts an item, whatever is there."""
    return {"Put": {"Item": item}}


def _is_readable(item: Item) -> bool:
    # An index that projects keys alone has no version to check, and whoever found them there reads the item.
    try:
        check_schema(item)
    except NewerSchema as newer:
        logger.error("left out: %s", newer, extra={"fallback": "newer_item"})
        return False
    return True


def _reasons(error: ClientError) -> list[dict[str, Any]]:
    response: dict[str, Any] = dict(error.response)
    code = response["Error"]["Code"]
    if code == "TransactionCanceledException":
        return list(response.get("CancellationReasons", ()))
    return [{"Code": code, "Item": response.get("Item")}]
