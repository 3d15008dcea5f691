"""Subscriptions: each change is sent to the subscribed sessions, on one stream and once."""

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.testing.replies import Reply
from tests.kit import BOB, EVE
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

WEATHER, FORECAST = "weather://now", "weather://tomorrow"


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(prompts_and_resources.TOOLS, [], prompts_and_resources.RESOURCES))


def listen(client: Client, place: str | None = None) -> Reply:
    return client.send("GET", accept="text/event-stream", last_event_id=place)


def updated_uris(reply: Reply) -> list[str]:
    return [each["uri"] for each in reply.notifications("notifications/resources/updated")]


def change(client: Client, *uris: str) -> None:
    for uri in uris:
        client.call("report", uri=uri)


@requirement("A-RES-4", "A-GET-3", "A-GET-5", "A-SSE-1", "A-SSE-3")
def test_a_subscriber_is_sent_a_change_with_an_event_id(ada: Client) -> None:
    assert ada.result("resources/subscribe", uri=WEATHER) == {}
    change(ada, WEATHER, FORECAST)
    reply = listen(ada)

    assert (reply.status, updated_uris(reply)) == (200, [WEATHER])
    assert reply.events[0].id is not None
    assert reply.events[0].retry is not None
    assert reply.events[0].data == ""


@requirement("A-RES-4")
@pytest.mark.parametrize("uri", ["shelf://%C3%A9t%C3%A9", "shelf://été", "SHELF://%c3%a9t%c3%a9"])
def test_a_change_is_sent_in_the_spelling_that_the_client_subscribed_to(ada: Client, uri: str) -> None:
    ada.result("resources/subscribe", uri=uri)
    change(ada, "shelf://été")

    assert updated_uris(listen(ada)) == [uri]


@requirement("A-RES-4", "A-GET-4", "A-SSE-2")
def test_a_stream_is_held_until_there_is_an_update_and_not_for_ever(harness: Harness, ada: Client) -> None:
    ada.result("resources/subscribe", uri=WEATHER)
    began = harness.clock.now()
    silent = listen(ada)
    held = harness.clock.now() - began
    harness.while_waiting(lambda: None, lambda: harness.ports.change_feed.publish(ada.caller.owner_key, WEATHER))

    assert (held, silent.messages) == (harness.server.max_hold, [])
    assert updated_uris(listen(ada, silent.last_event_id)) == [WEATHER]
    assert harness.clock.now() - began - held < harness.server.max_hold


@requirement("A-RES-4", "A-SSE-13")
def test_each_change_is_sent_once_whatever_the_stream(harness: Harness, ada: Client) -> None:
    ada.result("resources/subscribe", uri=WEATHER)
    change(ada, WEATHER, WEATHER)
    first = listen(ada)

    assert updated_uris(first) == [WEATHER]
    assert updated_uris(listen(ada)) == updated_uris(listen(ada, first.last_event_id)) == []

    change(ada, WEATHER)

    assert updated_uris(listen(ada, first.last_event_id)) == [WEATHER]


@requirement("A-RES-4")
def test_earlier_and_later_changes_are_no_updates(ada: Client) -> None:
    change(ada, WEATHER)
    ada.result("resources/subscribe", uri=WEATHER)
    ada.result("resources/subscribe", uri=WEATHER)
    before = updated_uris(listen(ada))
    assert ada.result("resources/unsubscribe", uri=WEATHER) == {}
    change(ada, WEATHER)

    assert (before, updated_uris(listen(ada))) == ([], [])


@requirement("A-RES-4", "A-SSE-11")
def test_a_colleague_is_notified_and_a_stranger_is_not(harness: Harness, ada: Client) -> None:
    others = [Client(harness, caller) for caller in (BOB, EVE)]
    for client in (ada, *others):
        client.initialize()
        client.result("resources/subscribe", uri=WEATHER)
    change(ada, WEATHER)

    assert [updated_uris(listen(client)) for client in (ada, *others)] == [[WEATHER], [WEATHER], []]


@requirement("A-RES-4", "A-SSE-11")
def test_sessions_of_one_caller_do_not_share_what_they_watch(harness: Harness, ada: Client) -> None:
    other = Client(harness)
    other.initialize()
    ada.result("resources/subscribe", uri=WEATHER)
    change(ada, WEATHER)
    place = listen(other).last_event_id

    assert updated_uris(listen(other, place)) == []
    assert ada.resume(place).status == 405
    assert updated_uris(listen(ada)) == [WEATHER]


@requirement("A-RES-3", "A-RES-4")
@pytest.mark.parametrize(
    ("uri", "code"), [("weather://yesterday", -32002), ("note://été", -32602), ("x" * 4_001, -32602), (7, -32602)]
)
def test_only_what_is_watched_can_be_subscribed_to(harness: Harness, ada: Client, uri: object, code: int) -> None:
    before = harness.kept()

    assert (ada.error("resources/subscribe", uri=uri)["code"], harness.kept()) == (code, before)


@requirement("A-RES-4")
def test_one_of_many_addresses_can_be_watched(ada: Client) -> None:
    ada.result("resources/subscribe", uri="shelf://7")
    change(ada, "shelf://8", "shelf://7")

    assert updated_uris(listen(ada)) == ["shelf://7"]


@requirement("A-RES-4")
def test_a_session_watches_so_many_addresses_and_no_more(ada: Client) -> None:
    for row in range(50):
        ada.result("resources/subscribe", uri=f"shelf://{row}")
    error = ada.error("resources/subscribe", uri="shelf://50")

    assert (error["code"], "50 resources at most" in error["message"]) == (-32602, True)
    assert ada.result("resources/subscribe", uri="shelf://49") == {}


@requirement("A-GET-2", "A-RES-1")
def test_where_nothing_is_watched_there_is_nothing_to_listen_to(harness: Harness, ada: Client) -> None:
    harness.change(features=Features.of([], [], [prompts_and_resources.note]))

    assert listen(ada).status == 405
    assert ada.error("resources/subscribe", uri="note://été")["code"] == -32601


@requirement("A-SSE-15", "A-LIFE-9")
@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26"])
def test_older_versions_have_no_stream_to_be_notified_on(harness: Harness, version: str) -> None:
    old = Client(harness, version=version)
    old.initialize()

    assert listen(old).status == 405
    assert old.error("resources/subscribe", uri=WEATHER)["code"] == -32601
