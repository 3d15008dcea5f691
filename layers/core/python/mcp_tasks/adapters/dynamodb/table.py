"""The one DynamoDB table: reads that hide expired items, and conditional writes that report which condition failed.

Every item gets the schema version of its kind here.  Every method raises `UnreadableItem` when it meets a live item
that is damaged or that a newer release wrote, except `query`, which leaves such items out.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import field, replace
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, Final, Self, TypeVar
from uuid import uuid4

from botocore.exceptions import ClientError

from mcp_tasks.adapters.aws_failures import BUSY, CONFLICT, kind_of, patiently, write_patiently
from mcp_tasks.adapters.dynamodb.items import Item, can_exist, count_in, epoch, expires_at
from mcp_tasks.adapters.dynamodb.reading import name_of
from mcp_tasks.adapters.dynamodb.schema import SCHEMAS, check_schema, versioned
from mcp_tasks.fallbacks import readable
from mcp_tasks.patience import PATIENCE
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import Unavailable

T = TypeVar("T")

REFUSED: Final = frozenset({"ConditionalCheckFailed", "ConditionalCheckFailedException"})

NOTHING: Final[Mapping[str, Item]] = {}
MAX_PAGE: Final = 1_000
BACKOFF: Final = tuple(timedelta(milliseconds=20 * 2**attempt) for attempt in range(7))


class ConditionFailed(Exception):
    """Conditions did not hold, so nothing was written; `reasons` are DynamoDB's, one for each action of the write."""

    def __init__(self, reasons: list[dict[str, Any]]) -> None:
        super().__init__(", ".join(reason["Code"] for reason in reasons))
        self._reasons = reasons

    @property
    def failed(self) -> set[int]:
        """Return the indexes of the actions whose condition failed."""
        return {place for place, reason in enumerate(self._reasons) if reason["Code"] in REFUSED}

    def stored(self, place: int) -> Item:
        """Return the stored item that made the condition of the action at this index fail, empty if there is none."""
        return self._reasons[place].get("Item") or {}


class Busy(Unavailable, ClientError):  # type: ignore[misc]  # botocore is not typed
    """Concurrent writes to the same items, or throttling, outlasted every retry, so nothing was written."""

    @property
    def places(self) -> set[int]:
        """Return the indexes of the actions that conflicted."""
        return {place for place, reason in enumerate(_reasons(self)) if reason["Code"] in BUSY}


@record
class Table:
    """The table, through a low-level DynamoDB client; `chance` gives the jitter of retries, from 0 up to 1.

    `schemas` are the versions of the kinds of items that its user reads and writes.
    """

    client: Any
    name: str
    clock: Clock
    chance: Callable[[], float] = random.random
    schemas: Mapping[str, int] = field(default_factory=lambda: SCHEMAS)

    def with_schemas(self, schemas: Mapping[str, int]) -> Self:
        """Return the same table for a store whose items are of these kinds too, each with its schema version."""
        return replace(self, schemas={**self.schemas, **schemas})

    def get(self, key: Item, *, consistent: bool = True) -> Item | None:
        """Return the item by a consistent read, None if there is none, it has expired, or no item can have the key.

        A read that need not be `consistent` costs half, and may return the item as it was a moment ago.
        """
        if not can_exist(key):
            return None
        request = {"TableName": self.name, "Key": key, "ConsistentRead": consistent}
        item: Item | None = patiently(partial(self.client.get_item, **request)).get("Item")
        if item is None or expires_at(item) <= self.clock.now():
            return None
        check_schema(item, self.schemas)
        return item

    def stored(self, key: Item) -> Item:
        """Return the item by a consistent read, however old or damaged it is, and an empty one if there is none."""
        request = {"TableName": self.name, "Key": key, "ConsistentRead": True}
        item: Item = patiently(partial(self.client.get_item, **request)).get("Item") or {}
        return item

    def query(self, read: Callable[[Item], T], *, limit: int, **request: Any) -> Iterator[T]:
        """Yield what `read` makes of the items that a Query finds, and leave out those that cannot be read.

        Page after page is requested as they are consumed, of `limit` items at first.
        """

        def checked(item: Item) -> T:
            # An index of keys alone has no version to check; a query of it is followed by a read of the table.
            check_schema(item, self.schemas)
            return read(item)

        while True:
            page = {"TableName": self.name, "Limit": limit, **request}
            answer = patiently(partial(self.client.query, **page))
            yield from readable(answer["Items"], checked, name=name_of, owner_key=lambda item: str(item["PK"]["S"]))
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            # `Limit` counts items before they are filtered, so pages grow to get past any number of these.
            limit = max(limit, min(4 * limit, MAX_PAGE))

    def between(
        self,
        read: Callable[[Item], T],
        partition: str,
        first: str,
        last: str,
        *,
        limit: int,
        only_if: str = "",
        given: Mapping[str, Item] = NOTHING,
        **request: Any,
    ) -> Iterator[T]:
        """Yield the same of a partition's items from one sort key to another that have not expired.

        Reads are consistent.  `only_if` is a condition of DynamoDB's on what they are, with the values `given`.
        """
        values = {":partition": {"S": partition}, ":first": {"S": first}, ":last": {"S": last}}
        return self.query(
            read,
            limit=limit,
            ConsistentRead=True,
            KeyConditionExpression="PK = :partition AND SK BETWEEN :first AND :last",
            FilterExpression=f"goneAt > :now AND ({only_if})" if only_if else "goneAt > :now",
            ExpressionAttributeValues={**values, ":now": epoch(self.clock.now()), **given},
            **request,
        )

    def transact(self, *actions: Item) -> None:
        """Write all of the actions or none; raises `ConditionFailed`.

        It has a `ClientRequestToken`.  So one that is repeated after a lost response succeeds again, where any other
        conditional write would fail on the condition that its first attempt made false.
        """
        self._write(self.client.transact_write_items, TransactItems=[self._addressed(action) for action in actions])

    def put(self, item: Item) -> None:
        """Put the item without a condition."""
        (request,) = self._addressed(putting(item)).values()
        write_patiently(partial(self.client.put_item, **request))

    def add(self, item: Item) -> None:
        """Put the item unless its key is taken; raises `ConditionFailed`, which has the stored item."""
        (request,) = self._addressed(adding(item)).values()
        self._write(self.client.put_item, **request)

    def update(self, **request: Any) -> None:
        """Update one item by UpdateItem's own parameters; raises `ConditionFailed`."""
        (request,) = self._addressed({"Update": request}).values()
        self._write(self.client.update_item, **request)

    def update_unversioned(self, **request: Any) -> None:
        """Update attributes that belong to no schema version, on an item of any version; raises `ConditionFailed`."""
        self._write(self.client.update_item, TableName=self.name, **request)

    def delete(self, **request: Any) -> None:
        """Delete one item by DeleteItem's own parameters; raises `ConditionFailed`."""
        self._write(self.client.delete_item, TableName=self.name, **request)

    def _addressed(self, action: Item) -> Item:
        ((verb, unversioned),) = action.items()
        request = versioned(verb, unversioned, self.clock.now(), self.schemas)
        address = {"TableName": self.name}
        if "ConditionExpression" in request:
            address["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return {verb: address | request}

    def _write(self, call: Callable[..., Any], **request: Any) -> None:
        """Send a write, again after a backoff with jitter while others write the same items, or it is throttled."""
        for attempt in count():
            token = {"ClientRequestToken": str(uuid4())} if "TransactItems" in request else {}
            try:
                write_patiently(partial(call, **request, **token), is_repeatable=bool(token))
                return
            except ClientError as error:
                reasons = _reasons(error)
                codes = {reason["Code"] for reason in reasons} - {"None"}
                if codes & REFUSED:
                    self._check_readable(reasons)
                    raise ConditionFailed(reasons) from error
                if not codes <= BUSY:
                    if kind_of(error) is None:
                        self._check_countable(request)
                    raise
                if not self._backs_off(attempt, codes):
                    raise Busy(error.response, error.operation_name) from error

    def _check_countable(self, request: Mapping[str, Any]) -> None:
        """Raise `DamagedCounter` where a write failed since it adds to what is no number, which no error names."""
        for action in request.get("TransactItems", ()):
            update = action.get("Update", {})
            clause, _, added = update.get("UpdateExpression", "").partition(" SET ")[0].partition(" ")
            names = update.get("ExpressionAttributeNames", {})
            item = self.stored(update["Key"]) if clause == "ADD" else {}
            for term in added.split(", "):
                name = term.partition(" ")[0]
                count_in(item, names.get(name, name))

    def _backs_off(self, attempt: int, codes: Set[str]) -> bool:
        """Pause, and return whether to try again: a conflict that lasts is for the caller, who may write elsewhere."""
        patience = PATIENCE.get()
        if attempt >= len(BACKOFF):
            return patience is not None and not codes & CONFLICT and patience.pause(attempt)
        wait = BACKOFF[attempt] * self.chance()
        if patience is not None:
            return patience.sleep(wait)
        self.clock.sleep(wait)
        return True

    def _check_readable(self, reasons: list[dict[str, Any]]) -> None:
        for reason in reasons:
            item = reason.get("Item")
            if item and expires_at(item) > self.clock.now():
                check_schema(item, self.schemas)


def adding(item: Item) -> Item:
    """Return the transaction's Put of an item, on condition that its key is free."""
    return {"Put": {"Item": item, "ConditionExpression": "attribute_not_exists(PK)"}}


def putting(item: Item) -> Item:
    """Return the transaction's Put of an item, without a condition."""
    return {"Put": {"Item": item}}


def _reasons(error: ClientError) -> list[dict[str, Any]]:
    response: dict[str, Any] = dict(error.response)
    code = response["Error"]["Code"]
    if code == "TransactionCanceledException":
        return list(response.get("CancellationReasons", ()))
    return [{"Code": code, "Item": response.get("Item")}]
