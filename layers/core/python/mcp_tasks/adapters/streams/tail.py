"""Waking by the table's stream, read in place: quicker than the clock, for one waiter at a time.

AWS lets two readers read a shard, and the stream's own function is one of them; so a lease admits one tail, and
everybody else polls.  A tail polls too once the stream fails it: no wait ever fails because of the stream.
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
from mcp_tasks.adapters.dynamodb.lease import DynamoLease, Hold
from mcp_tasks.adapters.polling import PollingWatch
from mcp_tasks.adapters.streams.shards import ShardMap, StreamEnd, StreamUnfit
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.errors import NewerSchema

logger = logging.getLogger(__name__)

# AWS answers five reads of a shard in a second.
READ_EVERY: Final = timedelta(milliseconds=250)

# The guard: a stream may be late, or lose its way without a word, so the task is read now and then in any case.
SHORTEST: Final = timedelta(seconds=2)
LONGEST: Final = timedelta(seconds=5)

FAILURES: Final = (ClientError, BotoCoreError, StreamUnfit, NewerSchema)


@dataclass(slots=True, kw_only=True)
class TailingWatch:
    """A watch that reads the stream for as long as it is admitted and the stream answers, and polls otherwise."""

    polling: PollingWatch
    shards: ShardMap
    hold: Hold
    keys: Sequence[Item]
    _end: StreamEnd | None = field(default=None, init=False)
    _read_at: datetime = field(init=False)

    def open(self) -> None:
        """Go to the end of the stream, if this is the one who may."""
        self._read_at = self.polling.clock.now()
        try:
            if self.hold.keep():
                self._end = StreamEnd(shards=self.shards)
            else:
                self._stand_aside()
        except FAILURES:
            self._give_up()

    def pause(self, at_most: timedelta) -> Waker:
        """Come back when the stream tells of a task, at the latest after some seconds; see `Watch`."""
        if self._end is None:
            return self.polling.pause(at_most)
        clock = self.polling.clock
        until = clock.now() + min(at_most, LONGEST + READ_EVERY)
        guard = clock.now() + SHORTEST + (LONGEST - SHORTEST) * self.polling.chance()
        while (now := clock.now()) < until:
            if now < self._read_at:
                clock.sleep(min(self._read_at, until) - now)
            elif woken_by := self._read(self._end):
                return woken_by
            elif now >= guard:
                # Only now, so that the clock is not credited with what the stream was about to tell.
                break
        return Waker.POLL

    def close(self) -> None:
        """Let the next one tail the stream."""
        self._end = None
        try:
            self.hold.end()
        except FAILURES:
            said = {"fallback": "lease_left_to_lapse"}
            logger.warning("the lease of the stream's tail could not be given back", exc_info=True, extra=said)

    def _read(self, end: StreamEnd) -> Waker | None:
        self._read_at = self.polling.clock.now() + READ_EVERY
        try:
            if self.hold.keep():
                return Waker.STREAM if end.tells_of(self.keys) else None
            self._end = None
            self._stand_aside()
        except FAILURES:
            self._give_up()
        # Nobody knows what the stream would have told, so the tasks are read at once.
        return Waker.POLL

    def _stand_aside(self) -> None:
        logger.info("another waiter tails the stream; polling instead", extra={"fallback": "tail_taken"})

    def _give_up(self) -> None:
        said = {"fallback": "tail_failed"}
        logger.warning("the stream cannot be tailed; polling instead", exc_info=True, extra=said)
        self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class TailingWaiter:
    """The waiter that reads the stream; one for each process, since its map of the shards is worth keeping.

    The client that reads the stream has to give up soon and repeat nothing: a waiter is deaf while the client tries.
    """

    clock: Clock
    shards: ShardMap
    lease: DynamoLease
    chance: Callable[[], float] = random.random

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        """Open a watch; see `Waiter`."""
        polling = PollingWatch(clock=self.clock, chance=self.chance)
        if not task_ids:
            # Whoever waits for something else than tasks needs no tail, and keeps nobody from having it.
            yield polling
            return
        watch = TailingWatch(
            polling=polling,
            shards=self.shards,
            hold=Hold(lease=self.lease),
            keys=[primary_key(owner_key, "task", task_id) for task_id in task_ids],
        )
        watch.open()
        try:
            yield watch
        finally:
            watch.close()
