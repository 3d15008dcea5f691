"""Reads audit records in the log groups of a stage's functions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from mcp_tasks.audit.authenticity import Logged
from mcp_tasks.audit.chain import record_and_mac
from mcp_tasks.records import record

HAS_A_CHAIN: Final = '"chain"'
"""A term of CloudWatch's filter patterns, which other records may have too."""

MILLISECOND: Final = timedelta(milliseconds=1)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@record
class AuditLog:
    """The audit records in some log groups."""

    client: Callable[[], Any]
    groups: Sequence[str]

    def read(self, since: datetime, until: datetime) -> Iterator[Logged]:
        """Yield the records that were logged from one moment to another, group by group."""
        for group in self.groups:
            for event in self._events(group, since, until):
                if (found := record_and_mac(event["message"])) is not None:
                    yield Logged(found[0], EPOCH + event["timestamp"] * MILLISECOND, found[1])

    def _events(self, group: str, since: datetime, until: datetime) -> Iterator[Mapping[str, Any]]:
        between = {"startTime": (since - EPOCH) // MILLISECOND, "endTime": (until - EPOCH) // MILLISECOND}
        more: dict[str, str] = {}
        while True:
            page = self.client().filter_log_events(logGroupName=group, filterPattern=HAS_A_CHAIN, **between, **more)
            yield from page["events"]
            if "nextToken" not in page:
                return
            more = {"nextToken": page["nextToken"]}
