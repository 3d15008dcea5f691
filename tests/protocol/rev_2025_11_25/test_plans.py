"""What a tenant's plan limits, where it is no request: streams, notifications, responses, pings, batches."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


def use_up(harness: Harness, ada: Client) -> None:
    """Give the tenant a rate of one request in ten seconds, and use up what may come at once."""
    harness.limit(requests_per_second=0.1, burst=1, subject_share=1)
    ada.result("tools/list")


@requirement("A-GET-6")
def test_a_resumed_stream_is_never_refused_but_told_to_come_later(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    use_up(harness, ada)
    # The place is that of before, and so is its id.
    harness.event_ids.clear()

    reply = ada.resume(place)

    assert (reply.status, reply.streamed, reply.messages) == (200, True, [])
    assert [(event.id, event.retry) for event in reply.events] == [(place, 10_000)]
    assert harness.waiter.pauses == 0

    harness.clock.advance(timedelta(seconds=10))
    harness.run(task_id)

    assert ada.resume(place).messages[-1]["result"]["content"] == [{"type": "text", "text": "It depends: why?"}]


@requirement("A-GET-6")
def test_the_stream_of_a_suspended_tenant_goes_on_when_that_is_over(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.limit(suspended=True)
    harness.event_ids.clear()

    reply = ada.resume(place)

    assert [(event.id, event.retry) for event in reply.events] == [(place, 60_000)]
    harness.run(task_id)
    harness.limit()
    assert "result" in ada.resume(place).messages[-1]


@requirement("A-GET-6", "A-HTTP-1")
def test_what_a_client_sends_as_an_event_id_is_sent_back_on_one_line_or_not_at_all(
    harness: Harness, ada: Client
) -> None:
    use_up(harness, ada)

    for named in ["x\r\ndata: 1", "x\ny", "", "ü", "x" * 200_000]:
        reply = ada.resume(named)
        assert [(event.id, event.retry) for event in reply.events] == [(None, 10_000)]


@requirement("A-HTTP-1")
def test_a_ping_a_notification_and_the_end_of_a_session_are_served_over_the_rate(harness: Harness, ada: Client) -> None:
    use_up(harness, ada)

    assert ada.result("ping") == {}
    assert ada.send_notification("notifications/initialized", {}).status == 202
    assert ada.send("DELETE").status == 204


@requirement("A-HTTP-1")
@pytest.mark.parametrize("message", [{"id": 900, "method": "ping"}, {"method": "notifications/initialized"}])
def test_a_ping_and_a_notification_count_though_they_are_served(
    harness: Harness, ada: Client, message: dict[str, JSON]
) -> None:
    harness.limit(requests_per_second=0.1, burst=10, subject_share=1)

    served = {ada.post({"jsonrpc": "2.0", **message}).status for _ in range(20)}

    assert served <= {200, 202}
    assert ada.error("tools/list")["data"]["reason"] == "requests_per_second"


@requirement("A-HTTP-1")
def test_nothing_of_a_suspended_tenant_is_served(harness: Harness, ada: Client) -> None:
    harness.limit(suspended=True)
    before = harness.kept()

    assert ada.error("ping")["data"]["reason"] == "tenant_suspended"
    assert ada.send_notification("notifications/cancelled", {"requestId": 1}).status == 403
    assert ada.send("DELETE").status == 403
    assert harness.kept() == before


@requirement("A-HTTP-1")
@pytest.mark.parametrize(
    ("messages", "status", "answered"),
    [
        ([{"jsonrpc": "2.0", "id": 900 + number, "method": "tools/list"} for number in range(10)], 200, 10),
        ([{"jsonrpc": "2.0", "id": 900 + number, "result": {}} for number in range(10)], 400, 10),
        ([{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}] * 10, 202, 0),
        ([1] * 10, 400, 10),
    ],
    ids=["requests", "responses", "notifications", "no messages"],
)
def test_a_batch_counts_as_many_requests_as_it_has_messages(
    harness: Harness, messages: list[JSON], status: int, answered: int
) -> None:
    ada = Client(harness, version="2025-03-26")
    ada.initialize()
    harness.limit(requests_per_second=0.1, burst=100, subject_share=1)
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    request = HttpRequest(method="POST", headers={**usual, **ada.headers}, body=json.dumps(messages).encode())

    *served, refused = (handle(harness.server, request, ADA) for _ in range(11))

    assert [(each.status, len(json.loads(each.body or "[]"))) for each in served] == [(status, answered)] * 10
    assert (refused.status, refused.headers["retry-after"]) == (429, "10")
    assert json.loads(refused.body)["error"]["data"]["reason"] == "requests_per_second"


@requirement("A-HTTP-1")
@pytest.mark.parametrize(("length", "served"), [(0, 101), (1, 101), (20, 6), (21, 6), (400, 6)])
def test_a_batch_counts_no_more_than_the_longest_and_no_less_than_one(
    harness: Harness, length: int, served: int
) -> None:
    ada = Client(harness, version="2025-03-26")
    ada.initialize()
    harness.limit(requests_per_second=0.1, burst=100, subject_share=1)
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    request = HttpRequest(method="POST", headers={**usual, **ada.headers}, body=json.dumps([1] * length).encode())

    statuses = [handle(harness.server, request, ADA).status for _ in range(110)]

    # One request more than the bucket holds, or what is left of a batch: what is served first is taken afterwards.
    assert statuses.index(429) == served


@requirement("A-GET-6")
def test_a_stream_over_the_limit_of_connections_is_not_held_and_loses_nothing(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.limit(held_waits=0)

    harness.progress(task_id, 30)
    told = ada.resume(place)
    quiet = ada.resume(told.last_event_id)
    harness.run(task_id)
    ended = ada.resume(quiet.last_event_id)

    assert harness.waiter.pauses == 0
    assert [event.retry for event in (told.events[0], quiet.events[0], ended.events[0])] == [5_000, 5_000, 200]
    assert told.notifications("notifications/tasks/status") != []
    assert quiet.messages == []
    assert "result" in ended.messages[-1]


@requirement("A-GET-6")
def test_a_call_over_the_limit_of_connections_goes_on_in_a_stream_that_is_resumed_later(
    harness: Harness,
) -> None:
    ada = Client(harness)
    ada.initialize({"tasks": {}})
    harness.limit(held_waits=0)
    harness.idle = True

    begun = ada.send_request("tools/call", {"name": "add", "arguments": {"numbers": [40, 2]}})
    quiet = ada.resume(begun.last_event_id)
    harness.run(next(iter(harness.executor.started)))
    ended = ada.resume(quiet.last_event_id)

    assert harness.waiter.pauses == 0
    assert (begun.streamed, begun.messages, quiet.messages, quiet.events[0].retry) == (True, [], [], 5_000)
    assert ended.messages[-1]["result"]["structuredContent"] == {"total": 42}


@requirement("A-GET-6")
def test_a_stream_within_the_limit_is_held_and_makes_room_when_it_ends(harness: Harness, ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    harness.limit(held_waits=1)
    harness.waiter.meanwhile = lambda: held.append(harness.ports.held_waits.count("acme"))
    held: list[int] = []

    reply = ada.resume(place)

    assert reply.events[0].retry == 200
    assert set(held) == {1}
    assert harness.ports.held_waits.count("acme") == 0


@requirement("A-GET-3", "A-RES-4")
def test_a_listening_stream_over_the_limit_of_connections_is_not_held(harness: Harness) -> None:
    harness.change(features=Features.of(prompts_and_resources.TOOLS, [], prompts_and_resources.RESOURCES))
    ada = Client(harness)
    ada.initialize()
    ada.result("resources/subscribe", uri="weather://now")
    harness.limit(held_waits=0)

    silent = ada.resume(None)
    ada.call("report", uri="weather://now")
    told = ada.resume(silent.last_event_id)

    assert harness.waiter.pauses == 0
    assert [reply.events[0].retry for reply in (silent, told)] == [5_000, 5_000]
    assert [each["uri"] for each in told.notifications("notifications/resources/updated")] == ["weather://now"]


class Unreadable:
    """The plans of tenants whose items are damaged."""

    def of(self, tenant: str) -> Plan:
        raise UnreadableItem("plan#current", "cannot be read: overrides does not fit")


@requirement("A-GET-6", "A-HTTP-1")
def test_a_tenant_whose_plan_cannot_be_read_is_not_served_and_its_streams_go_on_later(
    harness: Harness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    harness.event_ids.clear()
    harness.change(admission=replace(harness.server.admission, plans=Unreadable()))

    assert ada.error("tools/list") == {"code": -32603, "message": f"Internal error: {UnreadableItem.for_client}"}
    assert [(event.id, event.retry) for event in ada.resume(place).events] == [(place, 60_000)]
    assert "plan#current cannot be read" in caplog.text
