"""A harness on the table, whose items a test can make unreadable."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import pytest

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.features.listing import Features
from mcp_tasks.ports import Ports
from mcp_tasks.ports.clock import Clock
from tests.cloud import BUCKET, TABLE, Cloud, cloud, scan
from tests.protocol.harness import Harness
from tests.table_ports import store_of, table_ports

NEWER: Final = {"schema": {"N": "3"}}


class TableHarness(Harness):
    """The harness, with everything that it keeps on the table."""

    def __init__(self, aws: Cloud, features: Features | None = None) -> None:
        self.aws = aws
        super().__init__(features, ports=partial(_ports, aws))

    def spoil(self, prefix: str, changes: Item) -> None:
        """Change attributes of the items whose sort keys begin so; there is one at least."""
        items = [item for item in scan(self.aws.dynamodb) if item["SK"]["S"].startswith(prefix)]
        assert items
        for item in items:
            self.aws.dynamodb.put_item(TableName=TABLE, Item=item | changes)

    def lose_objects(self) -> None:
        """Delete all objects of the bucket; there is one at least."""
        objects = self.aws.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
        for each in objects:
            self.aws.s3.delete_object(Bucket=BUCKET, Key=each["Key"])


def _ports(aws: Cloud, clock: Clock, **others: Any) -> Ports:
    return table_ports(store_of(aws, clock), clock, **others)


@contextmanager
def on_the_table(features: Features | None = None) -> Iterator[TableHarness]:
    """Yield a harness on an empty table."""
    with cloud() as aws:
        yield TableHarness(aws, features)


def fallbacks(caplog: pytest.LogCaptureFixture) -> set[str]:
    """Return the fallbacks that were logged."""
    return {each["fallback"] for each in map(vars, caplog.records) if "fallback" in each}
