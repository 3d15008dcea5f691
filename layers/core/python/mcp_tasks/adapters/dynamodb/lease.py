"""A right that one holder at a time may have, kept in the table; it lapses when its holder is gone."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.adapters.dynamodb.items import SYSTEM, Item, epoch, lifetime, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamoLease:
    """The lease `name`; whoever takes it has it for `term`, and may take it again before that."""

    table: Table
    name: str
    term: timedelta = timedelta(seconds=40)

    def take(self, holder: str) -> bool:
        """Take the lease, or keep it for another term; tells whether `holder` has it now."""
        now = self.table.clock.now()
        until = {f":{name}": value for name, value in lifetime(now + self.term).items()}
        try:
            self.table.update(
                Key=self._key(),
                UpdateExpression="SET holder = :holder, expiresAt = :expiresAt, goneAt = :goneAt",
                # "holder = :holder" also lets a request through that the client repeats after a lost answer.
                ConditionExpression="attribute_not_exists(PK) OR goneAt <= :now OR holder = :holder",
                ExpressionAttributeValues={":holder": {"S": holder}, ":now": epoch(now), **until},
            )
        except ConditionFailed:
            return False
        return True

    def give_back(self, holder: str) -> None:
        """Let the next one have the lease, unless somebody else has it already."""
        try:
            self.table.delete(
                Key=self._key(),
                ConditionExpression="holder = :holder",
                ExpressionAttributeValues={":holder": {"S": holder}},
            )
        except ConditionFailed:
            return

    def _key(self) -> Item:
        return primary_key(SYSTEM, "lease", self.name)


@dataclass(slots=True, kw_only=True)
class Hold:
    """One holder's time with a lease, which may be longer than its term."""

    lease: DynamoLease
    _holder: str = field(default_factory=lambda: secrets.token_hex(8), init=False)
    _renew_at: datetime | None = field(default=None, init=False)
    _may_be_held: bool = field(default=False, init=False)

    def keep(self) -> bool:
        """Take the lease, or renew it when that is due; tells whether the holder has it."""
        now = self.lease.table.clock.now()
        if self._renew_at is None or now >= self._renew_at:
            # If the answer is lost, nobody knows whether there is something to give back.
            self._may_be_held = True
            self._may_be_held = self.lease.take(self._holder)
            # The clocks of two machines differ a little, so the term is not used to its end.
            self._renew_at = now + self.lease.term * 0.75 if self._may_be_held else None
        return self._may_be_held

    def end(self) -> None:
        """Give the lease back, unless it certainly is somebody else's."""
        if self._may_be_held:
            self._may_be_held, self._renew_at = False, None
            self.lease.give_back(self._holder)
