"""Session items of this release and the one before are read and updated; newer ones are left as they are."""

from dataclasses import replace

import pytest

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.errors import NewerSchema, UnreadableItem
from mcp_tasks.wire.rev_2025_11_25.adapters.dynamodb import SCHEMAS, DynamoSessions
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Stream
from tests.cloud import Cloud, scan
from tests.kit import ADA
from tests.releases.items import RELEASE, SUSPENDED, URI, item_at, kept, kind_of, put
from tests.releases.rev_2025_11_25.session_items import OF, SECOND, SESSION, written_now

UNTIL = SESSION.expires_at


@pytest.fixture(params=["0.1", "0.2"])
def sessions(request: pytest.FixtureRequest, table: Table, aws: Cloud) -> DynamoSessions:
    """The sessions that a release wrote."""
    for items in kept(request.param, OF).values():
        for item in items:
            put(aws, item | {"unknown": {"S": "text"}})
    return DynamoSessions(table=table)


def test_items_are_written_as_those_kept_of_this_release() -> None:
    assert written_now() == kept(RELEASE, OF)
    assert set(written_now()) == set(SCHEMAS)


def test_what_a_release_wrote_is_read(sessions: DynamoSessions) -> None:
    owner = ADA.owner_key

    assert [sessions.load(owner, name) for name in ("s", "t")] == [SESSION, replace(SESSION, id="t", log_level="debug")]
    assert sessions.subscriptions(owner, SESSION.id) == {URI: 7}
    assert sessions.load_stream(owner, "one") == Stream()
    assert sessions.load_stream(owner, "two") == Stream(task_id=SUSPENDED, cancelled=True)
    assert sessions.load_attempt(owner, "one") == SECOND


def test_what_a_release_promised_is_kept(sessions: DynamoSessions) -> None:
    assert not sessions.save_attempt(ADA.owner_key, "one", Attempt(number=2), UNTIL)
    assert sessions.save_attempt(ADA.owner_key, "one", Attempt(number=3), UNTIL)
    assert sessions.claim(ADA.owner_key, SESSION.id, URI, 8)
    assert not sessions.claim(ADA.owner_key, SESSION.id, URI, 8)


def test_a_newer_item_is_neither_read_nor_updated(sessions: DynamoSessions, aws: Cloud) -> None:
    for item in scan(aws.dynamodb):
        put(aws, item | {"schema": {"N": str(SCHEMAS[kind_of(item)] + 1)}})
    before = scan(aws.dynamodb)

    for use in (
        lambda: sessions.subscribe(ADA.owner_key, SESSION.id, "docs://two", 1, UNTIL),
        lambda: sessions.claim(ADA.owner_key, SESSION.id, URI, 9),
        lambda: sessions.load_attempt(ADA.owner_key, "one"),
        lambda: sessions.save_attempt(ADA.owner_key, "one", Attempt(number=3), UNTIL),
    ):
        with pytest.raises(NewerSchema):
            use()
    assert sessions.load(ADA.owner_key, SESSION.id) is None
    assert sessions.subscriptions(ADA.owner_key, SESSION.id) == {}
    assert sessions.load_stream(ADA.owner_key, "one") is None
    assert scan(aws.dynamodb) == before


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("session", {"version": {"N": "1"}}),
        ("session", {"capabilities": {"S": "{SECRET"}}),
        ("session", {"capabilities": {"S": '["SECRET"]'}}),
        ("session", {"logLevel": {"BOOL": True}}),
        ("stream", {"taskId": {"N": "1"}}),
        ("stream", {"dropped": {"S": "SECRET"}}),
    ],
)
def test_what_is_damaged_is_as_if_it_were_gone(
    table: Table, aws: Cloud, kind: str, damage: Item, caplog: pytest.LogCaptureFixture
) -> None:
    for item in kept(RELEASE, OF)[kind]:
        put(aws, item | damage)
    sessions = DynamoSessions(table=table)

    assert sessions.load(ADA.owner_key, SESSION.id) is None
    assert sessions.load_stream(ADA.owner_key, "one") is None
    assert {vars(record).get("fallback") for record in caplog.records} == {"unreadable_item"}
    assert "SECRET" not in caplog.text


def test_a_damaged_subscription_leaves_the_others(sessions: DynamoSessions, aws: Cloud) -> None:
    sessions.subscribe(ADA.owner_key, SESSION.id, "docs://two", 3, UNTIL)
    item = item_at(aws, f"watching#{SESSION.id}")
    (first,) = (name for name, value in item.items() if value.get("M", {}).get("uri") == {"S": URI})
    put(aws, item | {first: {"M": {"uri": {"S": URI}}}})

    assert sessions.subscriptions(ADA.owner_key, SESSION.id) == {"docs://two": 3}


@pytest.mark.parametrize(
    "damage", [{"turn": {"S": "SECRET"}}, {"misfits": {"S": "SECRET"}}, {"notBefore": {"S": "SECRET"}}]
)
def test_a_damaged_attempt_is_rejected(table: Table, aws: Cloud, damage: Item) -> None:
    for item in kept(RELEASE, OF)["delivery"]:
        put(aws, item | damage)

    (name,) = damage
    with pytest.raises(UnreadableItem, match=f"^item delivery#[0-9a-f]+ cannot be read: {name} does not fit$"):
        DynamoSessions(table=table).load_attempt(ADA.owner_key, "one")
