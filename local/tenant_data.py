"""Everything that a tenant has in the table and the bucket: what of it is used, all of it as files, none of it."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO, Final

from boto3.dynamodb.types import Binary, TypeDeserializer

from local.file_names import file_name
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.items import Item, owner_and_id, task_of
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.recount import Recount
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound, UnreadableItem
from mcp_tasks.tasks.transitions import is_final

QUIET: Final = timedelta(minutes=2)
"""How long a tenant must have been suspended: until then functions may have it cached, or answer a request."""
PAGE: Final = 100


class NotSuspended(Exception):
    """The tenant is served, or was until just now; the text says what to do."""


@dataclass(slots=True, kw_only=True)
class Erased:
    """What was deleted: items by kind, objects, and tasks that were cancelled; `failed` are tasks that could not be."""

    items: Counter[str] = field(default_factory=Counter)
    objects: int = 0
    cancelled: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantData:
    """What one tenant has.  `tenant` is its name as in owner keys, so that no other name begins like its partitions.

    Which subjects there are is written nowhere, so that no request pays for it: `partitions` scans the whole table.
    """

    tenant: str
    table: Table
    tasks: TaskService
    s3: Any
    bucket: str

    def partitions(self) -> list[str]:
        """Return the tenant's partition and those of its subjects, by a scan; its plan is in neither."""
        scan = self.table.client.get_paginator("scan").paginate(
            TableName=self.table.name,
            ConsistentRead=True,
            ProjectionExpression="PK",
            FilterExpression="PK = :tenant OR begins_with(PK, :subjects)",
            ExpressionAttributeValues={":tenant": {"S": self.tenant}, ":subjects": {"S": f"{self.tenant}#"}},
        )
        return sorted({item["PK"]["S"] for page in scan for item in page["Items"]})

    def items(self, partition: str) -> Iterator[Item]:
        """Yield all items of a partition, those that have expired too."""
        pages = self.table.client.get_paginator("query").paginate(
            TableName=self.table.name,
            ConsistentRead=True,
            KeyConditionExpression="PK = :partition",
            ExpressionAttributeValues={":partition": {"S": partition}},
        )
        for page in pages:
            yield from page["Items"]

    def objects(self) -> Iterator[str]:
        """Yield the keys of all objects of the tenant's subjects."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=f"{self.tenant}#")
        for page in pages:
            yield from (found["Key"] for found in page.get("Contents", ()))

    def export(self, folder: Path) -> Counter[str]:
        """Write each item as a line of `items.jsonl`, each object as a file, and return how many there are of a kind.

        Whoever else uses this machine cannot read them.
        """
        counted: Counter[str] = Counter()
        _private_folder(folder)
        with _private(folder / "items.jsonl") as file:
            for partition in self.partitions():
                for item in self.items(partition):
                    file.write(json.dumps(_readable(item), sort_keys=True).encode() + b"\n")
                    counted[_kind(item)] += 1
        for key in self.objects():
            path = folder.joinpath("objects", *map(file_name, key.split("/")))
            _private_folder(path.parent)
            # As bytes: a damaged object may be no text.
            with _private(path) as file:
                file.write(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read())
            counted["object"] += 1
        return counted

    def recount(self) -> bool:
        """Repair the tenant's counters from what its tasks hold; return False if they changed all the time."""
        found = set(self.partitions()) - {self.tenant}

        def owners() -> set[str]:
            # A subject may have come since the scan began.
            live = DynamoBacklog(table=self.table).live()
            return found | {owner for owner, _ in live if tenant_of(owner) == self.tenant}

        return Recount(table=self.table).repair(self.tenant, owners)

    def erase(self, plan_items: PlanItems) -> Erased:
        """Cancel the tenant's tasks, and delete its objects and items; what was done is not done again after a crash.

        Its plan stays, so that it stays suspended.  Raises `NotSuspended`.
        """
        self._check_suspended(plan_items)
        erased = Erased()
        # Until a look finds nothing: a run that was ending, and the table's stream, may write meanwhile.
        while self._erase_found(erased):
            continue
        DynamoTenants(self.table).forget(self.tenant)
        return erased

    def _erase_found(self, erased: Erased) -> bool:
        """Erase what one look at the table and the bucket finds; return whether there was anything."""
        partitions, keys = self.partitions(), self.objects()
        # First, so that no task is deleted while it counts as active, and no run records anything after its deletion.
        for partition in partitions:
            self._cancel_tasks(partition, erased)
        # Before the items that point to them: an object without an item would be found by its name all the same.
        before = erased.objects
        for key in keys:
            self.s3.delete_object(Bucket=self.bucket, Key=key)
            erased.objects += 1
        # The tenant's own partition comes last, with the counters that ending tasks write to.
        for partition in sorted(partitions, key=lambda name: name == self.tenant):
            self._delete_items(partition, erased)
        return bool(partitions) or erased.objects > before

    def _delete_items(self, partition: str, erased: Erased) -> None:
        for item in self.items(partition):
            self.table.delete(Key={"PK": item["PK"], "SK": item["SK"]})
            erased.items[_kind(item)] += 1

    def _check_suspended(self, plan_items: PlanItems) -> None:
        stored = plan_items.read(self.tenant)
        if stored is None or not stored.grant.suspended:
            raise NotSuspended("The tenant is served: suspend it first, by SUSPEND=1.")
        left = stored.since + QUIET - self.table.clock.now()
        if left > timedelta():
            raise NotSuspended(
                f"The tenant's plan was changed just now, and functions may not know: wait for {left.seconds + 1} s."
            )

    def _cancel_tasks(self, partition: str, erased: Erased) -> None:
        if partition == self.tenant:
            return
        caller = Caller.of_owner_key(partition)
        for item in self.items(partition):
            if _kind(item) != "task" or "liveShard" not in item:
                continue
            task_id = owner_and_id(item)[1]
            try:
                if not is_final(task_of(item)):
                    self.tasks.cancel(caller, task_id)
                    erased.cancelled += 1
            except (IllegalTransition, TaskNotFound):
                # It has ended, or expired.
                continue
            except UnreadableItem:
                erased.failed.append(task_id)
                self.tasks.ports.tasks.release(partition, task_id)


def _kind(item: Item) -> str:
    return str(item["SK"]["S"].partition("#")[0])


def _private_folder(path: Path) -> None:
    # One by one: the mode of those that `mkdir` makes above another one is not the one that is given.
    for each in (*reversed(path.parents), path):
        each.mkdir(mode=0o700, exist_ok=True)


def _private(path: Path) -> BinaryIO:
    # A file that is there keeps its permissions when it is opened.
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _readable(item: Item) -> Mapping[str, Any]:
    read = TypeDeserializer().deserialize
    return {name: _plain(read(value)) for name, value in item.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Binary | bytes):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | set):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | bool | None) else float(value)
