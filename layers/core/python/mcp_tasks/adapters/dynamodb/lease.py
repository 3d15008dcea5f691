"""A lease in the table: one holder at a time has it, and it lapses when a holder that died does not renew it."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.adapters.dynamodb.items import SYSTEM, Item, epoch, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.patience import patient
from mcp_tasks.records import record


@record
class DynamoLease:
    """The lease `name`, granted for `term` at a time and renewable before the term ends."""

    table: Table
    name: str
    term: timedelta = timedelta(seconds=40)

    def take(self, holder: str) -> bool:
        """Acquire the lease or renew it for another term, and return whether `holder` has it now."""
        now = self.table.clock.now()
        until = {f":{name}": value for name, value in expiry_attributes(now + self.term).items()}
        try:
            self.table.update(
                Key=self._key(),
                UpdateExpression="SET holder = :holder, expiresAt = :expiresAt, goneAt = :goneAt",
                # "holder = :holder" also accepts a request that the AWS client retries after a lost response.
                ConditionExpression="attribute_not_exists(PK) OR goneAt <= :now OR holder = :holder",
                ExpressionAttributeValues={":holder": {"S": holder}, ":now": epoch(now), **until},
            )
        except ConditionFailed:
            return False
        return True

    def give_back(self, holder: str) -> None:
        """Release the lease before its term ends, unless another holder has it already."""
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
class LeaseHolder:
    """Keeps a lease for longer than its term by renewing it as it is used; each instance is a holder of its own."""

    lease: DynamoLease
    _holder: str = field(default_factory=lambda: secrets.token_hex(8), init=False)
    _renew_at: datetime | None = field(default=None, init=False)
    _may_be_held: bool = field(default=False, init=False)

    def keep(self) -> bool:
        """Acquire the lease, or renew it when three quarters of its term are over; returns whether it is held."""
        with patient(None):
            return self._keep()

    def _keep(self) -> bool:
        now = self.lease.table.clock.now()
        if self._renew_at is None or now >= self._renew_at:
            # If `take` raises, it may have taken the lease all the same: then `end` has to release it.
            self._may_be_held = True
            self._may_be_held = self.lease.take(self._holder)
            # Other holders judge the term by their own clocks, so it is not used to its end.
            self._renew_at = now + self.lease.term * 0.75 if self._may_be_held else None
        return self._may_be_held

    def end(self) -> None:
        """Release the lease, unless another holder certainly has it."""
        if self._may_be_held:
            self._may_be_held, self._renew_at = False, None
            with patient(None):
                self.lease.give_back(self._holder)
