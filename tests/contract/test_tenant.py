"""What an operator does with a tenant: shows and changes its plan, exports what it has, and erases it."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from local.stage import Refused
from local.tenant import UNSET, Operator, fields_of
from local.tenant_data import NotSuspended
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.plans import DynamoPlans
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.named_plans import Grant, NamedPlans
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import is_final
from tests.checkout import ROOT
from tests.cloud import BUCKET, TABLE, Cloud, scan
from tests.contract.process import Crash, Fuse
from tests.contract.store_actions import add, finish, suspend
from tests.kit import ADA, BOB, EVE, BusyWaiter, FixedClock, IdleExecutor, a_task
from tests.table_ports import table_ports
from tests.unit.jobs import job

STAGE = NamedPlans.of({"default": {"active_tasks": 9}, "gold": {"active_tasks": 90, "tools": ["b", "a"]}}, Plan())
# Names that begin like the tenant's, and one that is written like its partition.
OTHERS = [EVE, Caller(tenant="acme2", subject="ada"), Caller(tenant="acme#ada", subject="ada")]


class Desk:
    """An operator of one stage, and what was stopped."""

    def __init__(self, aws: Cloud, clock: FixedClock, fuse: Fuse | None = None) -> None:
        fuse = fuse or Fuse()
        self.table = Table(client=fuse.around(aws.dynamodb), name=TABLE, clock=clock)
        self.executor = IdleExecutor()
        self.store = DynamoTaskStore(table=self.table, payloads=Payloads(client=lambda: aws.s3, bucket=BUCKET))
        self.operator = Operator(
            tenant="acme",
            settings=Settings(table_name=TABLE, payload_bucket=BUCKET, plans=STAGE),
            ports=table_ports(self.store, clock, executor=self.executor, waiter=BusyWaiter(clock=clock)),
            table=self.table,
            s3=fuse.around(aws.s3),
        )


@pytest.fixture
def desk(aws: Cloud, clock: FixedClock) -> Desk:
    return Desk(aws, clock)


def fill(desk: Desk) -> None:
    """Give the tenant and others tasks of each kind, large values among them."""
    for caller in [ADA, BOB, *OTHERS]:
        finish(desk.store, add(desk.store, a_task(), owner_key=caller.owner_key), owner_key=caller.owner_key)
        suspend(desk.store, add(desk.store, a_task(), owner_key=caller.owner_key), owner_key=caller.owner_key)
        large = {"text": "x" * (MAX_INLINE_CHARACTERS + 1)}
        desk.store.create(caller.owner_key, a_task(), large, key=None, plan=Plan())


def of_acme(aws: Cloud) -> list[str]:
    """Return the sort keys of what the tenant has, but for its plan."""
    found = [(item["PK"]["S"], item["SK"]["S"]) for item in scan(aws.dynamodb)]
    return [name for partition, name in found if partition == "acme" or partition.startswith("acme#")]


def objects(aws: Cloud) -> list[str]:
    return [found["Key"] for found in aws.s3.list_objects_v2(Bucket=BUCKET).get("Contents", ())]


def suspended_for_a_while(desk: Desk, clock: FixedClock) -> None:
    desk.operator.change(plan=None, fields={}, suspend=True)
    clock.advance(timedelta(minutes=2))


def test_a_tenant_of_whom_nothing_is_stored_is_shown_with_the_default_plan(desk: Desk) -> None:
    shown = desk.operator.shown()

    assert (shown["plan"], shown["suspended"], shown["differs"]) == ("default", False, {})
    assert shown["allowed"]["active_tasks"] == 9
    assert shown["used"] == {"active_tasks": 0, "suspended_tasks": 0, "stored_bytes": 0, "held_waits": 0}
    assert shown["left"] == {"requests": None}


def test_what_a_tenant_uses_is_shown(desk: Desk) -> None:
    fill(desk)
    desk.store.create(BOB.owner_key, a_task(), {"a": 1}, key=None, plan=Plan(stored_bytes=100))
    desk.operator.ports.held_waits.begin("acme", 5)

    desk.operator.change(plan=None, fields=fields_of("requests_per_second=0.01 burst=10"), suspend=None)
    desk.operator.ports.buckets.take("acme", "requests", 3, Rate(burst=10, per_second=0.01))

    shown = desk.operator.shown()
    assert shown["used"] == {"active_tasks": 5, "suspended_tasks": 2, "stored_bytes": 7, "held_waits": 1}
    assert shown["left"] == {"requests": 7}


def test_a_plan_is_changed_field_by_field(desk: Desk) -> None:
    desk.operator.change(plan="gold", fields={}, suspend=None)
    desk.operator.change(plan=None, fields=fields_of('held_waits=3 tools=["c"]'), suspend=True)
    desk.operator.change(plan=None, fields=fields_of("held_waits="), suspend=None)

    shown = desk.operator.shown()
    assert (shown["plan"], shown["suspended"], shown["differs"]) == ("gold", True, {"tools": ["c"]})
    assert (shown["allowed"]["active_tasks"], shown["allowed"]["tools"]) == (90, ["c"])
    json.dumps(shown)


def test_tasks_that_wait_are_started_when_a_plan_lets_more_run_also_after_a_crash(
    aws: Cloud, clock: FixedClock
) -> None:
    def desk(fuse: Fuse | None = None) -> Desk:
        made = Desk(aws, clock, fuse)
        plans = DynamoPlans(PlanItems(table=made.table), STAGE)
        made.operator = replace(made.operator, ports=replace(made.operator.ports, plans=plans))
        return made

    desk().operator.change(plan=None, fields={"running_tasks": 1, "subject_share": 1}, suspend=None)
    tasks = TaskService(ports=desk().operator.ports)
    started = [tasks.start(ADA, job, {}).id for _ in range(4)]

    raised: dict[str, Any] = {"plan": None, "fields": {"running_tasks": 3}, "suspend": None}
    crashing = desk(Fuse(number=1, when="after"))
    with pytest.raises(Crash):
        crashing.operator.change(**raised)
    again = desk()
    again.operator.change(**raised)

    running = [task.id for task in tasks.page(ADA, before=None, limit=9)[0] if task.state is State.WORKING]
    assert len(running) == 3
    assert sorted(again.executor.started) == sorted(set(running) - {started[0]})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("active_tasks", "write name=value"),
        ("tools=greet", "write name=value"),
        ("active_tasks=-5", "SET: active_tasks is a whole number"),
        ("speed=5", "SET has a field 'speed': there are active_tasks"),
    ],
)
def test_what_is_no_change_of_a_plan_is_refused_in_words(desk: Desk, text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        desk.operator.change(plan=None, fields=fields_of(text), suspend=None)
    assert PlanItems(table=desk.table).read("acme") is None


def test_what_no_function_can_read_is_told_and_mended(desk: Desk) -> None:
    PlanItems(table=desk.table).write("acme", Grant(overrides={"active_tasks": "many"}), replacing=0)

    with pytest.raises(Refused, match=r"none of its requests is served: .*active_tasks is a whole number"):
        desk.operator.shown()
    desk.operator.change(plan=None, fields=fields_of("active_tasks="), suspend=None)

    assert desk.operator.shown()["differs"] == {}


def test_fields_are_read_as_json(desk: Desk) -> None:
    assert fields_of('a=1 b=0.5 c=["x","y=z"] d=null e=') == {
        "a": 1,
        "b": 0.5,
        "c": ["x", "y=z"],
        "d": None,
        "e": UNSET,
    }


def test_a_plan_that_the_stage_does_not_have_is_refused(desk: Desk) -> None:
    with pytest.raises(Refused, match="no plan 'silver', only default, gold"):
        desk.operator.change(plan="silver", fields={}, suspend=None)


def test_of_two_operators_the_second_is_told_that_there_is_another(aws: Cloud, clock: FixedClock) -> None:
    def meanwhile() -> None:
        PlanItems(table=Desk(aws, clock).table).write("acme", Grant(plan="gold"), replacing=0)

    late = Desk(aws, clock, Fuse(number=1, burn=meanwhile))

    with pytest.raises(Refused, match="at the same moment"):
        late.operator.change(plan=None, fields={}, suspend=True)
    assert PlanItems(table=late.table).read("acme") is not None


@pytest.mark.parametrize(
    "prepare", [lambda desk: None, lambda desk: desk.operator.change(plan=None, fields={}, suspend=True)]
)
def test_a_tenant_that_is_served_or_was_just_now_is_not_erased(
    desk: Desk, aws: Cloud, prepare: Callable[[Desk], None]
) -> None:
    fill(desk)
    prepare(desk)
    before = of_acme(aws)

    with pytest.raises(NotSuspended):
        desk.operator.data.erase(desk.operator.items)
    assert of_acme(aws) == before


def test_an_erased_tenant_has_nothing_but_its_suspension_and_others_have_everything(
    desk: Desk, aws: Cloud, clock: FixedClock
) -> None:
    fill(desk)
    others = len(scan(aws.dynamodb)) - len(of_acme(aws))
    suspended_for_a_while(desk, clock)

    erased = desk.operator.data.erase(desk.operator.items)

    assert (of_acme(aws), [key for key in objects(aws) if key.startswith("acme#")]) == ([], [])
    assert (len(scan(aws.dynamodb)), len(objects(aws))) == (others + 1, len(OTHERS))
    assert (erased.items["task"], erased.objects, erased.cancelled, erased.failed) == (6, 2, 4, [])
    assert len(desk.executor.stopped) == 4
    assert desk.operator.shown()["suspended"]
    for other in OTHERS:
        tasks = desk.store.page(other.owner_key, before=None, limit=9)
        assert sorted(task.state for task in tasks) == sorted([State.FINISHED, State.INPUT_REQUIRED, State.WORKING])


def test_what_the_stream_tells_of_tasks_that_expired_alive_brings_nothing_of_an_erased_tenant_back(
    desk: Desk, aws: Cloud, clock: FixedClock
) -> None:
    fill(desk)
    tasks = [(each, task) for each in (ADA, BOB) for task in desk.store.page(each.owner_key, before=None, limit=9)]
    live = [(caller, task) for caller, task in tasks if not is_final(task)]
    clock.advance(max(task.ttl for _, task in live))
    suspended_for_a_while(desk, clock)

    desk.operator.data.erase(desk.operator.items)
    for caller, task in live:
        desk.store.release(caller.owner_key, task.id, task)

    assert (of_acme(aws), len(live)) == ([], 4)


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_erasure_that_crashes_anywhere_is_finished_by_the_next(
    desk: Desk, aws: Cloud, clock: FixedClock, when: Any
) -> None:
    fill(desk)
    suspended_for_a_while(desk, clock)
    crashed = 0
    for number in range(0, 400, 7):
        broken = Desk(aws, clock, Fuse(number=number, when=when))
        try:
            broken.operator.data.erase(broken.operator.items)
        except Crash:
            crashed += 1
        if not of_acme(aws):
            break

    last = Desk(aws, clock)
    last.operator.data.erase(last.operator.items)

    assert crashed > 2
    assert (of_acme(aws), [key for key in objects(aws) if key.startswith("acme#")]) == ([], [])


def test_an_export_has_all_of_the_tenant_and_nothing_of_others(desk: Desk, aws: Cloud, tmp_path: Path) -> None:
    fill(desk)

    counted = desk.operator.data.export(tmp_path / "acme")

    items = [json.loads(line) for line in (tmp_path / "acme" / "items.jsonl").read_text().splitlines()]
    assert {item["PK"] for item in items} == {"acme", ADA.owner_key, BOB.owner_key}
    assert sorted(item["SK"] for item in items) == sorted(of_acme(aws))
    assert (counted["task"], counted["object"]) == (6, 2)
    files = [path for path in (tmp_path / "acme" / "objects").rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(tmp_path / "acme" / "objects")) for path in files) == sorted(
        key for key in objects(aws) if key.startswith("acme#")
    )
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "acme", *(tmp_path / "acme").rglob("*"))} == {0}


def test_where_no_stack_runs_a_sentence_says_so() -> None:
    command = [sys.executable, "-m", "local.tenant", "--tenant", "acme", "--stage", "local", "--port", "1"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 1
    assert (
        "\nThe tenant cannot be read or changed: nothing answers at http://127.0.0.1:1/: start make stack"
        in f"\n{done.stderr}"
    )
