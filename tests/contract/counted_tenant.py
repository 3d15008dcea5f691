"""A tenant with tasks of each kind that counters count, on the table in memory, and damage to its counters.

Unlike moto, the table in memory compares texts and numbers as DynamoDB does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from mcp_tasks.adapters.dynamodb.counters import from_home
from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan
from tests.cloud import TABLE, Cloud, cloud, scan
from tests.contract.queueing import Tenant, tenant_on
from tests.dynamodb.client import MemoryDynamo
from tests.kit import BOB, EVE, FixedClock
from tests.table_ports import store_of

TEXT: Item = {"S": "SECRET"}
DAMAGES: list[Item] = [TEXT, {"N": "1.5"}, {"BOOL": True}, {"L": []}]
NUMBERS = ("active", "running", "queued", "suspended")
COUNTED = {
    ("acme", "quota"): {"active": 5, "running": 2, "queued": 2, "suspended": 1},
    ("acme#ada", "using"): {"active": 4, "running": 1, "queued": 2, "suspended": 1},
    ("acme#bob", "using"): {"active": 1, "running": 1, "queued": 0, "suspended": 0},
    ("rival", "quota"): {"active": 1, "running": 1, "queued": 0, "suspended": 0},
    ("rival#eve", "using"): {"active": 1, "running": 1, "queued": 0, "suspended": 0},
}

Stage = tuple[Tenant, list[Task]]


@contextmanager
def in_memory() -> Iterator[Cloud]:
    """Begin with an empty table in memory."""
    with cloud() as found:
        yield replace(found, dynamodb=MemoryDynamo())


def stage_of(aws: Cloud, clock: FixedClock) -> Stage:
    """Return a tenant, and Ada's tasks: one is suspended, one runs and two are queued, and one of Bob's runs."""
    tenant = tenant_on(store_of(aws, clock), clock, Plan(running_tasks=2, subject_share=1))
    tenant.start(EVE)
    tenant.start(BOB)
    tasks = [tenant.start() for _ in range(4)]
    tenant.ask(tasks[0])
    return tenant, [tenant.read(task) for task in tasks]


def counted(aws: Cloud) -> dict[tuple[str, str], dict[str, int]]:
    """Return the sums of the counters, by partition and kind."""
    sums: dict[tuple[str, str], dict[str, int]] = {}
    for item in scan(aws.dynamodb):
        kind = item["SK"]["S"].partition("#")[0]
        if kind in ("quota", "using"):
            found = sums.setdefault((item["PK"]["S"], kind), dict.fromkeys(NUMBERS, 0))
            for name in NUMBERS:
                found[name] += int(item.get(name, {"N": "0"})["N"])
    return sums


def place_of(task: Task, kind: str) -> tuple[str, str]:
    """Return where the counter of a task of Ada's is."""
    return ("acme#ada", "using") if kind == "using" else ("acme", f"quota#{from_home(task.id)[0]}")


def damage(aws: Cloud, place: tuple[str, str], **attributes: Item | None) -> None:
    """Overwrite attributes of an item, or take them away."""
    (item,) = (each for each in scan(aws.dynamodb) if (each["PK"]["S"], each["SK"]["S"]) == place)
    left = {name: value for name, value in (item | attributes).items() if value is not None}
    aws.dynamodb.put_item(TableName=TABLE, Item=left)
