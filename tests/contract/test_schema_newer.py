"""Items of a newer release are rejected, and do not affect other items."""

from datetime import timedelta

import pytest

from mcp_tasks.adapters.dynamodb.lease import DynamoLease
from mcp_tasks.adapters.dynamodb.schema import KINDS_WITHOUT_VERSION
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.waits import BETWEEN_CHECKS
from mcp_tasks.tasks.errors import NewerSchema
from tests.cloud import Cloud, scan
from tests.contract.dynamo_store_actions import active
from tests.kit import ADA, FixedClock, IdleExecutor, a_task, plan_of
from tests.releases import items as golden
from tests.releases.items import (
    ALL,
    FRESH,
    MOVING,
    RESUMED,
    SUSPENDED,
    item_at,
    put,
)


@pytest.fixture
def newer(table: Table, aws: Cloud) -> str:
    """The id of a task that is listed between others, and that a later release wrote."""
    golden.put_all(aws, "0.2")
    put(aws, item_at(aws, f"task#{MOVING}") | {"schema": {"N": "3"}, "details": {"S": "another shape"}})
    return MOVING


def test_a_newer_item_is_rejected_with_the_version_that_is_known(newer: str, dynamo_store: DynamoTaskStore) -> None:
    with pytest.raises(NewerSchema) as rejected:
        dynamo_store.read(ADA.owner_key, newer)

    said = f"item task#{newer} has schema 3; this release reads up to 2: deploy a newer release"
    assert str(rejected.value) == said


def test_a_page_leaves_a_newer_task_out_and_says_so(
    newer: str, service: TaskService, caplog: pytest.LogCaptureFixture
) -> None:
    first, before = service.page(ADA, before=golden.DELETED, limit=6)
    second, end = service.page(ADA, before=before, limit=6)

    assert [task.id for task in (*first, *second)] == [task_id for task_id in ALL if task_id != newer]
    assert end is None
    assert {vars(record).get("fallback") for record in caplog.records} == {"unreadable_item"}


def test_a_sweep_skips_a_newer_task_and_checks_it_within_the_hour(
    newer: str, service: TaskService, clock: FixedClock, aws: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    clock.advance(timedelta(minutes=2))
    before = item_at(aws, f"task#{newer}")
    Reconciler(tasks=service, ports=service.ports).sweep(limit=99)

    assert isinstance(service.ports.executor, IdleExecutor)
    assert sorted(service.ports.executor.started) == [FRESH, SUSPENDED, RESUMED, golden.DELETED]
    assert "unreadable_item" in {vars(record).get("fallback") for record in caplog.records}
    after = item_at(aws, f"task#{newer}")
    due = clock.now() + BETWEEN_CHECKS
    assert float(after["checkAt"]["N"]) == pytest.approx(due.timestamp(), abs=60)
    assert after == before | {"checkAt": after["checkAt"]}


def test_sweeps_and_pages_that_meet_a_newer_task_again_log_it_once_each(
    newer: str, service: TaskService, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        clock.advance(timedelta(minutes=2))
        Reconciler(tasks=service, ports=service.ports).sweep(limit=99)
        service.page(ADA, before=golden.DELETED, limit=9)
        service.ports.backlog.postpone(ADA.owner_key, newer, clock.now())

    unreadable = [each for each in map(vars, caplog.records) if each.get("fallback") == "unreadable_item"]
    assert len(unreadable) == 2
    assert caplog.text.count(f"the task is left as it is: item task#{newer} ") == 1


def test_a_wait_for_several_tasks_returns_those_that_can_be_read(newer: str, service: TaskService) -> None:
    found = service.updates(ADA, {newer: 0, SUSPENDED: 0}, timeout=timedelta(seconds=1))

    assert [task.id for task in found] == [SUSPENDED]


def test_a_newer_item_is_never_updated(service: TaskService, table: Table, aws: Cloud) -> None:
    golden.put_all(aws, "0.2")
    for item in scan(aws.dynamodb):
        put(aws, item | {"schema": {"N": "3"}})
    before = scan(aws.dynamodb)
    ports = service.ports

    for update in (
        lambda: ports.tasks.create(ADA.owner_key, a_task(id=FRESH), {}, key=None, plan=plan_of(100)),
        lambda: ports.tasks.write(ADA.owner_key, a_task(id=FRESH), a_task(id=FRESH, version=2)),
        lambda: ports.tasks.record(ADA.owner_key, a_task(id=MOVING), "fetch", 1),
        lambda: DynamoLease(table=table, name="tail").take("another"),
    ):
        with pytest.raises(NewerSchema):
            update()

    assert scan(aws.dynamodb) == before


@pytest.fixture
def counters_and_claims(table: Table, aws: Cloud) -> None:
    """Every counter and claim, with the version of a later release."""
    golden.put_all(aws, "0.2")
    for item in scan(aws.dynamodb):
        if golden.kind_of(item) in KINDS_WITHOUT_VERSION:
            put(aws, item | {"schema": {"N": "3"}})


@pytest.mark.usefixtures("counters_and_claims")
def test_a_slot_is_taken_and_released_whatever_release_counted_last(service: TaskService, aws: Cloud) -> None:
    before = active(aws)

    service.cancel(ADA, FRESH)
    service.ports.tasks.release(ADA.owner_key, a_task().id)
    service.ports.tasks.release(ADA.owner_key, golden.DELETED)
    after = active(aws)
    service.ports.tasks.create(ADA.owner_key, a_task(), {}, key=None, plan=plan_of(100))

    assert (before, after, active(aws)) == (4, 2, 3)


@pytest.mark.usefixtures("counters_and_claims")
def test_a_change_is_published_and_read_whatever_release_published_last(service: TaskService) -> None:
    feed = service.ports.change_feed
    before = feed.version(ADA.owner_key, golden.URI)
    feed.publish(ADA.owner_key, golden.URI)

    assert feed.version(ADA.owner_key, golden.URI) > before > 0


@pytest.mark.usefixtures("counters_and_claims")
def test_a_notification_is_claimed_once_whatever_release_claimed_the_last(service: TaskService) -> None:
    task = service.get(ADA, MOVING)

    # The release that wrote the items claimed the version before this one.
    assert [service.claim_notification(ADA, task, "listener") for _ in range(2)] == [True, False]


@pytest.mark.usefixtures("counters_and_claims")
def test_a_session_finds_its_tasks_that_await_input_whatever_release_suspended_them(service: TaskService) -> None:
    assert service.awaiting_input(ADA, golden.SESSION_ID) == [SUSPENDED]


def test_a_newer_item_that_is_over_is_simply_gone(newer: str, dynamo_store: DynamoTaskStore, clock: FixedClock) -> None:
    clock.advance(timedelta(hours=2))

    assert dynamo_store.page(ADA.owner_key, before=None, limit=9) == []
