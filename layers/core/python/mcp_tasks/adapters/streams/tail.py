"""The waiter that tails the table's stream: quicker than polling, for one waiter of the deployment at a time.

AWS allows two readers of a shard, and the event source mapping of `on_task_change` is one of them; so a lease admits
one tail, and every other waiter polls.  A tail whose stream fails polls too: no wait fails because of the stream.
"""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from mcp_tasks.adapters.dynamodb.items import Item, primary_key
from mcp_tasks.adapters.dynamodb.lease import DynamoLease, LeaseHolder
from mcp_tasks.adapters.polling import PollingWatch
from mcp_tasks.adapters.streams.shards import LatestRecords, ShardMap, StreamOutruns, StreamUnusable
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import UnreadableItem

logger = logging.getLogger(__name__)

# AWS allows five reads of a shard in a second.
READ_EVERY: Final = timedelta(milliseconds=250)

# A stream may lag or miss a record without an error, so the task is read at these intervals in any case.
SHORTEST: Final = timedelta(seconds=2)
LONGEST: Final = timedelta(seconds=5)

FAILURES: Final = (ClientError, BotoCoreError, StreamUnusable, UnreadableItem)


@dataclass(slots=True, kw_only=True)
class TailingWatch:
    """A watch that reads the stream while it holds the lease and the stream works, and polls otherwise."""

    polling: PollingWatch
    shards: ShardMap
    holder: LeaseHolder
    keys: Sequence[Item]
    _latest: LatestRecords | None = field(default=None, init=False)
    _next_read_at: datetime = field(init=False)

    def open(self) -> None:
        """Start at the stream's latest records, if the lease is free."""
        self._next_read_at = self.polling.clock.now()
        try:
            if self.holder.keep():
                self._latest = LatestRecords(shards=self.shards)
            else:
                self._stand_aside()
        except FAILURES:
            self._give_up()

    def pause(self, at_most: timedelta) -> Waker:
        """Return as soon as the stream has a record of one of the tasks, after 2 to 5 seconds in any case."""
        if self._latest is None:
            return self.polling.pause(at_most)
        clock = self.polling.clock
        until = clock.now() + min(at_most, LONGEST + READ_EVERY)
        guard = clock.now() + SHORTEST + (LONGEST - SHORTEST) * self.polling.chance()
        while (now := clock.now()) < until:
            if now < self._next_read_at:
                clock.sleep(min(self._next_read_at, until) - now)
            elif woken_by := self._read(self._latest):
                return woken_by
            elif now >= guard:
                # After a read, so that a change which the stream already has is not counted as found by polling.
                break
        return Waker.POLL

    def close(self) -> None:
        """Release the lease, so that another waiter can tail the stream."""
        self._latest = None
        try:
            self.holder.end()
        except FAILURES:
            fields = {"fallback": "lease_left_to_lapse"}
            logger.warning("the lease of the stream's tail could not be given back", exc_info=True, extra=fields)

    def _read(self, latest: LatestRecords) -> Waker | None:
        self._next_read_at = self.polling.clock.now() + READ_EVERY
        try:
            if self.holder.keep():
                return Waker.STREAM if latest.read_and_match(self.keys) else None
            self._latest = None
            self._stand_aside()
        except StreamOutruns:
            logger.info("the stream outruns a waiter; polling instead", extra={"fallback": "tail_outrun"})
            self.close()
        except FAILURES:
            self._give_up()
        # The stream may have had a record that is not read now, so the tasks are read at once.
        return Waker.POLL

    def _stand_aside(self) -> None:
        logger.info("another waiter tails the stream; polling instead", extra={"fallback": "tail_taken"})

    def _give_up(self) -> None:
        fields = {"fallback": "tail_failed"}
        logger.warning("the stream cannot be tailed; polling instead", exc_info=True, extra=fields)
        self.close()


@record
class TailingWaiter:
    """The `Waiter` that tails the stream; one for each process, for the sake of its cache of the shards.

    The client of `shards` needs a short timeout and no retries: no change is noticed while it tries.
    """

    clock: Clock
    shards: ShardMap
    lease: DynamoLease
    chance: Callable[[], float] = random.random

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        """Open a watch that tails the stream, or polls where another waiter has the lease or no task is named."""
        polling = PollingWatch(clock=self.clock, chance=self.chance)
        if not task_ids:
            # A wait for something else than tasks needs no tail, and must not take the lease.
            yield polling
            return
        watch = TailingWatch(
            polling=polling,
            shards=self.shards,
            holder=LeaseHolder(lease=self.lease),
            keys=[primary_key(owner_key, "task", task_id) for task_id in task_ids],
        )
        watch.open()
        try:
            yield watch
        finally:
            watch.close()
