"""The contract of used links and of notices that their holders ask for, in memory and on DynamoDB."""

from datetime import timedelta

from mcp_tasks import role
from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from mcp_tasks.adapters.dynamodb.inbox_changes import inbox_change_of
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import InputRequest
from mcp_tasks.tasks.notifications import Occasion, notification_of
from tests.cloud import Cloud, stream
from tests.contract.store_actions import add, move, suspend
from tests.kit import NOON, FixedClock, a_task

TENANT, LINK, HOUR = "acme", "a" * 32, timedelta(hours=1)
FORM = {"message": "Refund?", "requestedSchema": {"type": "object", "properties": {}}}
ASKED = InputRequest(
    key="refund", method="elicitation/create", params=FORM, approval=Approval(audience=role("finance"), remind=HOUR)
)


def only(inbox: Inbox) -> InboxItem:
    (item,) = inbox.items(TENANT, role("finance").key, after="", limit=2)
    return item


def test_first_nonce_uses_a_link_and_may_come_again_for_a_minute(inbox: Inbox, clock: FixedClock) -> None:
    assert not inbox.is_link_used(TENANT, LINK)
    assert inbox.use_link(TENANT, LINK, "one", NOON + HOUR)
    assert inbox.is_link_used(TENANT, LINK)
    assert not inbox.use_link(TENANT, LINK, "two", NOON + HOUR)

    clock.advance(timedelta(seconds=59))
    assert inbox.use_link(TENANT, LINK, "one", NOON + HOUR)
    clock.advance(timedelta(seconds=1))
    assert not inbox.use_link(TENANT, LINK, "one", NOON + HOUR)


def test_link_stays_used_as_long_as_a_cache_may_take_it_for_good(inbox: Inbox, clock: FixedClock) -> None:
    inbox.use_link(TENANT, LINK, "one", NOON + HOUR)

    clock.advance(HOUR + timedelta(minutes=1))

    assert inbox.is_link_used(TENANT, LINK)


def test_link_of_another_tenant_is_another_link(inbox: Inbox) -> None:
    inbox.use_link(TENANT, LINK, "one", NOON + HOUR)

    assert not inbox.is_link_used("rival", LINK)
    assert inbox.use_link("rival", LINK, "two", NOON + HOUR)


def test_audience_is_told_again_after_20_minutes_and_reminders_count_on(
    store: TaskStore, inbox: Inbox, clock: FixedClock
) -> None:
    suspend(store, add(store, a_task(ttl=timedelta(days=3))), ASKED)
    item = only(inbox)
    assert item.again is None

    said = []
    for minutes in (0, 19, 1, 19, 1):
        clock.advance(timedelta(minutes=minutes))
        said.append(inbox.tell_again(TENANT, item.id))

    assert said == [True, False, True, False, True]
    assert (only(inbox).again, only(inbox).notices) == (NOON + timedelta(minutes=40), 0)
    assert inbox.notice(TENANT, item.id, 1)
    assert (only(inbox).again, only(inbox).notices) == (NOON + timedelta(minutes=40), 1)


def test_nobody_is_told_again_of_what_is_over_or_never_was(store: TaskStore, inbox: Inbox) -> None:
    task = suspend(store, add(store, a_task(ttl=timedelta(days=3))), ASKED)
    item = only(inbox)
    move(store, task, CancelRequested(status_message="no"))

    assert not inbox.tell_again(TENANT, item.id)
    assert not inbox.tell_again(TENANT, "role:finance#nothing")
    assert inbox.find(TENANT, item.id) is None


def test_stream_tells_of_it_once_each_time_by_an_id_of_its_own(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock
) -> None:
    inbox = DynamoInbox(table=dynamo_store.table)
    suspend(dynamo_store, add(dynamo_store, a_task(ttl=timedelta(days=3))), ASKED)
    item_id = only(inbox).id
    inbox.tell_again(TENANT, item_id)
    clock.advance(timedelta(minutes=20))
    inbox.tell_again(TENANT, item_id)
    inbox.notice(TENANT, item_id, 1)

    records = [each for each in stream(aws) if each["dynamodb"]["Keys"]["SK"]["S"].startswith("inbox#")]
    # The event source mapping passes on what was modified and has `notices`.
    assert all("notices" in each["dynamodb"]["NewImage"] for each in records if each["eventName"] == "MODIFY")
    changes = [inbox_change_of(each["dynamodb"]) for each in records]
    sent = [notification_of(TENANT, before, after) for before, after in changes if after is not None]

    assert [each and each.occasion for each in sent] == [Occasion.REQUESTED, *[Occasion.REMINDED] * 3]
    assert len({each and each.id for each in sent}) == 4
