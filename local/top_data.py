"""What `make top` shows of a stage, by reads that are bounded, and that no scan is among.

Whoever looks pays for it: each reading is a query of each shard of the index of live tasks, one for each tenant shown,
and a page or some of each log group, from where the reading before ended.
"""

import base64
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import boto3

from local.top_records import Seen, seen_in
from mcp_tasks.adapters.dynamodb.backlog import INDEX
from mcp_tasks.adapters.dynamodb.counters import COUNTERS, KIND
from mcp_tasks.adapters.dynamodb.items import LIVE_SHARDS, Item, count_in, owner_and_id
from mcp_tasks.adapters.dynamodb.reading import name_of
from mcp_tasks.fallbacks import noting_left_out, readable
from mcp_tasks.ports.clock import Clock

TASKS_OF_A_SHARD: Final = 500
"""Keys that are read of each shard; where there are more, what is shown is of these."""
TENANTS_SHOWN: Final = 15
ERRORS_SHOWN: Final = 8
PAGES_OF_A_GROUP: Final = 3
"""Of its log, in one reading; what is beyond is read in the next."""
WINDOW: Final = timedelta(minutes=5)
"""Rates are those of the last minutes."""
LATE: Final = timedelta(seconds=20)
"""How much later than others a record may be there to be read."""
MILLISECOND: Final = timedelta(milliseconds=1)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

READS: Final = frozenset({"Query", "FilterLogEvents", "ListStackResources", "GetFunctionConfiguration"})
"""The operations of AWS that this may call: it can change nothing, whatever its credentials allow."""


class WouldWrite(Exception):
    """A client was to call an operation that is none of `READS`."""


class TenantRow(NamedTuple):
    """A tenant: its name as in keys, how many tasks it has of each kind, the age of its oldest one, and its rate."""

    name: str
    active: int
    running: int
    queued: int
    suspended: int
    oldest: timedelta | None
    requests: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What is shown at one moment; `more_tasks` and `behind` say that not everything was read.

    Of what was read, `left_out` tasks and tenants cannot be shown.
    """

    at: datetime
    live: int
    more_tasks: bool
    behind: bool
    left_out: int = 0
    tenants: Sequence[TenantRow]
    more_tenants: int
    rates: Mapping[str, float]
    errors: Sequence[Seen]


def read_only(session: boto3.Session) -> boto3.Session:
    """Return a session whose clients raise `WouldWrite` for all but `READS`."""

    def check(model: Any, **_: Any) -> None:
        if model.name not in READS:
            raise WouldWrite(model.name)

    session.events.register("before-call", check)
    return session


@dataclass(slots=True, kw_only=True)
class Stage:
    """A deployed stage: its table, the log groups in which none but the server's own code writes, and what was seen."""

    dynamodb: Any
    logs: Any
    table: str
    groups: Sequence[str]
    clock: Clock
    _seen: "OrderedDict[str, Seen]" = field(default_factory=OrderedDict)
    _read_until: dict[str, datetime] = field(default_factory=dict)

    def read(self) -> Frame:
        """Read what is to be shown now."""
        now = self.clock.now()
        behind = [group for group in self.groups if not self._read_log(group, now)]
        for event_id in [each for each, seen in self._seen.items() if seen.at < now - WINDOW]:
            del self._seen[event_id]
        seen = sorted(self._seen.values(), key=lambda each: each.at)
        with noting_left_out() as left_out:
            live, more = self._live()
        counted = Counter(tenant for tenant, _ in live)
        counted.update(dict.fromkeys((each.tenant for each in seen if each.tenant), 0))
        shown = [name for name, _ in counted.most_common(TENANTS_SHOWN)]

        def row(name: str) -> TenantRow:
            return self._tenant(name, [at for of, at in live if of == name], seen, now)

        with noting_left_out() as hidden:
            tenants = list(readable(shown, row, name="tenant#{}".format, owner_key=str))
        return Frame(
            at=now,
            live=len(live),
            more_tasks=more,
            behind=bool(behind),
            left_out=left_out.count("task") + hidden.count("tenant"),
            tenants=tenants,
            more_tenants=len(counted) - len(shown),
            rates=_per_minute(Counter(kind for each in seen for kind in each.kinds)),
            errors=[each for each in seen if each.error][-ERRORS_SHOWN:],
        )

    def _live(self) -> tuple[list[tuple[str, datetime]], bool]:
        """Return the tenant and the time of creation of live tasks, and whether there are more."""
        found: list[tuple[str, datetime]] = []
        more = False
        for shard in range(LIVE_SHARDS):
            page = self.dynamodb.query(
                TableName=self.table,
                IndexName=INDEX,
                KeyConditionExpression="liveShard = :shard",
                ExpressionAttributeValues={":shard": {"S": str(shard)}},
                Limit=TASKS_OF_A_SHARD,
            )
            more = more or "LastEvaluatedKey" in page
            found += readable(page["Items"], _begun, name=name_of, owner_key=lambda item: str(item["PK"]["S"]))
        return found, more

    def _tenant(self, name: str, begun: Sequence[datetime], seen: Sequence[Seen], now: datetime) -> TenantRow:
        page = self.dynamodb.query(
            TableName=self.table,
            KeyConditionExpression="PK = :tenant AND begins_with(SK, :counters)",
            ExpressionAttributeValues={":tenant": {"S": name}, ":counters": {"S": f"{KIND}#"}},
            Limit=COUNTERS,
        )
        # What is below zero for a moment is mended by the functions, and not by who looks.
        numbers = {each: max(0, sum(count_in(item, each) for item in page["Items"])) for each in COUNTED}
        requests = Counter("request" in each.kinds for each in seen if each.tenant == name)[True]
        return TenantRow(
            name=name,
            active=numbers["active"],
            running=numbers["running"],
            queued=numbers["queued"],
            suspended=numbers["suspended"],
            oldest=now - min(begun) if begun else None,
            requests=requests / (WINDOW / timedelta(minutes=1)),
        )

    def _read_log(self, group: str, now: datetime) -> bool:
        """Read what a group has since the last time; returns whether that was all."""
        since = max(self._read_until.get(group, now - WINDOW) - LATE, now - WINDOW)
        asked: dict[str, Any] = {"logGroupName": group, "startTime": (since - EPOCH) // MILLISECOND}
        last = since
        for _ in range(PAGES_OF_A_GROUP):
            page = self.logs.filter_log_events(**asked)
            for event in page["events"]:
                last = max(last, EPOCH + event["timestamp"] * MILLISECOND)
                for seen in seen_in(event):
                    self._seen.setdefault(str(event.get("eventId", event)), seen)
            if "nextToken" not in page:
                self._read_until[group] = now
                return True
            asked["nextToken"] = page["nextToken"]
        self._read_until[group] = last + LATE
        return False


COUNTED: Final = ("active", "running", "queued", "suspended")


def _begun(item: Item) -> tuple[str, datetime]:
    """Return the tenant of a live task and when it was created, which its id begins with."""
    owner_key, task_id = owner_and_id(item)
    first = base64.b32hexdecode(f"{task_id.upper():=<40}")[:6]
    return owner_key.partition("#")[0], EPOCH + int.from_bytes(first) * MILLISECOND


def _per_minute(counts: Mapping[str, int]) -> Mapping[str, float]:
    return {kind: count / (WINDOW / timedelta(minutes=1)) for kind, count in counts.items()}
