"""The one table of the template, seen from outside: what DynamoDB does to it by itself, and when the sweep is due."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessTable:
    """The table."""

    name: str
    key: tuple[str, ...]
    ttl: str

    @classmethod
    def of(cls, template: Template) -> "HarnessTable":
        """Find it in the template."""
        ((name, table),) = template.ours("AWS::DynamoDB::GlobalTable")
        key = tuple(part["AttributeName"] for part in table["KeySchema"])
        return cls(name=name, key=key, ttl=table["TimeToLiveSpecification"]["AttributeName"])

    def items(self) -> list[dict[str, Any]]:
        """Return everything in it."""
        pages = client("dynamodb").get_paginator("scan").paginate(TableName=self.name)
        return [item for page in pages for item in page["Items"]]

    def expire(self, now: datetime) -> None:
        """Delete what has expired, as DynamoDB does some day."""
        for item in self.items():
            if float(item[self.ttl]["N"]) <= now.timestamp():
                client("dynamodb").delete_item(TableName=self.name, Key={name: item[name] for name in self.key})

    def next_check(self) -> datetime | None:
        """Return when the first live task is to be checked by the sweep."""
        checks = [float(item["checkAt"]["N"]) for item in self.items() if "checkAt" in item]
        return datetime.fromtimestamp(min(checks), UTC) if checks else None
