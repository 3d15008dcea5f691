"""The anchors of the audit records, and the key that signs them: a partition that one function of a stage has alone."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from mcp_tasks.adapters.dynamodb.items import EPOCH, Item, epoch, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields, from_json, string_attribute
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.audit.anchors import Anchor, Signed, new_key, public_of
from mcp_tasks.limits.audit import KEPT_LONGER
from mcp_tasks.records import record

AUDIT: Final = "!audit!"
"""The partition: no owner is encoded so, and its end keeps the other functions from writing to it, as to a plan."""

SCHEMAS: Final = {"anchor": 1, "rounds": 1, "signer": 1}
"""The kinds of items here, which no other store has."""

NUMBER_DIGITS: Final = 12

NEVER: Final = datetime(9999, 1, 1, tzinfo=UTC)

ROUNDS: Final = primary_key(AUDIT, "rounds", "minute")


@record
class DynamoAnchors:
    """One `anchor` item for each anchor, under its number; they are kept for longer than the log by `KEPT_LONGER`."""

    table: Table
    log_kept: timedelta = timedelta()

    def last(self) -> Signed | None:
        """Query the newest item."""
        return next(self._newest_first(limit=1), None)

    def since(self, moment: datetime) -> Iterator[Signed]:
        """Query the items backwards, until one is older."""
        found: list[Signed] = []
        for each in self._newest_first(limit=200):
            if each.anchor.until < moment:
                break
            found.append(each)
        return reversed(found)

    def add(self, signed: Signed) -> bool:
        """Put the item unless another one is there: its own is that of a Put whose answer was lost."""
        key = primary_key(AUDIT, "anchor", f"{signed.anchor.number:0{NUMBER_DIGITS}}")
        document = {"S": json.dumps(signed.anchor.document, separators=(",", ":"))}
        signature = {"S": signed.signature}
        expiry = expiry_attributes(self.table.clock.now() + self.log_kept + KEPT_LONGER)
        try:
            self._items.add({**key, **expiry, "json": document, "signature": signature})
        except ConditionFailed as failed:
            return bool(failed.stored(0).get("signature") == signature)
        return True

    def private_key(self) -> bytes:
        """Return the one `signer`, which is made unless there is one."""
        item = self._items.get(primary_key(AUDIT, "signer", "key")) or self._made()
        return bytes(Fields.of(item).required("private", lambda attribute: bytes(attribute["B"])))

    def public_key(self) -> bytes | None:
        """Return the public key alone, None where nothing was anchored yet."""
        item = self._items.get(primary_key(AUDIT, "signer", "key"))
        return None if item is None else Fields.of(item).required("public", lambda attribute: bytes(attribute["B"]))

    def awake_until(self) -> datetime:
        """Return until when the `rounds` item says that anchoring runs each minute."""
        item = self._items.get(ROUNDS)
        return EPOCH if item is None else Fields.of(item).required("awakeUntil", _moment)

    def stay_awake(self, until: datetime) -> None:
        """Put the item; of two at once, both say nearly the same."""
        self._items.put({**ROUNDS, "goneAt": epoch(NEVER), "awakeUntil": epoch(until)})

    @property
    def _items(self) -> Table:
        return self.table.with_schemas(SCHEMAS)

    def _made(self) -> Item:
        private = new_key()
        keys = {"private": {"B": private}, "public": {"B": public_of(private)}}
        item = {**primary_key(AUDIT, "signer", "key"), "goneAt": epoch(NEVER), **keys}
        try:
            self._items.add(item)
        except ConditionFailed as failed:
            return failed.stored(0)
        return item

    def _newest_first(self, *, limit: int) -> Iterator[Signed]:
        place = primary_key(AUDIT, "anchor", "")
        return self._items.query(
            _signed,
            limit=limit,
            ConsistentRead=True,
            ScanIndexForward=False,
            KeyConditionExpression="PK = :audit AND begins_with(SK, :anchor)",
            ExpressionAttributeValues={":audit": place["PK"], ":anchor": place["SK"]},
        )


def _moment(attribute: Item) -> datetime:
    return EPOCH + timedelta(seconds=float(attribute["N"]))


def _signed(item: Item) -> Signed:
    fields = Fields.of(item)
    document = fields.required("json", from_json)
    return Signed(anchor=Anchor.of(document), signature=fields.required("signature", string_attribute))
