"""Response streams: their first event, resumption by event id, their owner, their end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.limits.waits import EVENT_ID_LIFETIME
from mcp_tasks.ports.waiter import Watch
from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

GATEWAY = timedelta(seconds=29)


@requirement("A-SSE-1", "A-SSE-2", "A-SSE-3", "A-SSE-16", "A-HTTP-8")
def test_a_stream_begins_with_an_event_id_to_resume_from_and_closes(ada: Client) -> None:
    reply = ada.send_request("tasks/result", {"taskId": ada.start()})

    (event,) = reply.events
    assert reply.streamed
    assert event.id
    assert event.retry
    assert event.data == ""


@requirement("A-SSE-5", "A-SSE-12", "A-SSE-14")
def test_a_resumed_stream_begins_with_a_fresh_event_id_and_ends_with_the_response(
    harness: Harness, ada: Client
) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}, id=13).last_event_id
    harness.run(task_id)

    reply = ada.resume(place)

    first, *_, last = reply.events
    assert (first.data, first.id != place, first.retry is not None) == ("", True, True)
    assert (last.message["id"], last.message["result"]["isError"]) == (13, False)


@requirement("A-SSE-14", "A-SSE-19", "A-TASK-24")
def test_a_resumed_stream_without_updates_closes_in_time_with_a_fresh_event_id(harness: Harness, ada: Client) -> None:
    reply = ada.send_request("tasks/result", {"taskId": ada.start()})
    held = []

    for _ in range(5):
        ada.sleep(reply.retry)
        before, place = harness.clock.now(), reply.last_event_id
        reply = ada.resume(place)
        assert [event.data for event in reply.events] == [""]
        assert reply.last_event_id != place
        held.append((harness.clock.now() - before).total_seconds())

    # Of a task that is 50 seconds old and of which nothing is known, it is cheaper to look again.
    assert held == [25, 24.6, 0, 0, 0]
    assert timedelta(seconds=held[0]) < GATEWAY
    assert timedelta(seconds=2.5) < reply.retry < timedelta(seconds=3)


@requirement("A-SSE-8", "A-GET-6", "A-TASK-27")
def test_many_streams_are_each_answered_once_and_no_event_id_comes_twice(harness: Harness, ada: Client) -> None:
    tasks = [ada.start(), ada.start("add", numbers=[1])]
    opened = [
        (n, ada.send_request("tasks/result", {"taskId": tasks[n % 2]}, id=f"r{n}").last_event_id) for n in range(8)
    ]
    resumed = [(n, ada.resume(place).last_event_id) for n, place in opened]
    for task_id in tasks:
        harness.run(task_id)

    answers = [ada.resume(place).messages[-1] for _, place in resumed]

    assert [answer["id"] for answer in answers] == [f"r{n}" for n in range(8)]
    assert ["structuredContent" in answer["result"] for answer in answers] == [n % 2 == 1 for n in range(8)]


@requirement("A-SSE-8")
def test_an_event_id_that_is_resumed_twice_leads_to_two_others(ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id

    assert ada.resume(place).last_event_id != ada.resume(place).last_event_id


@requirement("A-SSE-9", "A-SSE-11", "A-SSE-6")
def test_a_stream_carries_only_what_concerns_its_request(harness: Harness, ada: Client) -> None:
    one, other = ada.start(), ada.start("hike", steps=[1.0], _meta={"progressToken": "t"})
    place = ada.send_request("tasks/result", {"taskId": one}).last_event_id
    harness.while_waiting(lambda: harness.progress(other, 5), lambda: harness.progress(one, 6, "half"))

    reply = ada.resume(place)

    assert {each["taskId"] for each in reply.notifications("notifications/tasks/status")} == {one}
    assert reply.notifications("notifications/progress") == []


@requirement("A-SSE-10")
def test_what_was_sent_before_an_event_id_is_not_sent_again_after_it(harness: Harness, ada: Client) -> None:
    task_id = ada.start("hike", steps=[1.0], _meta={"progressToken": "t"})
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.while_waiting(lambda: harness.progress(task_id, 10))
    first = ada.resume(place)
    harness.while_waiting(lambda: harness.progress(task_id, 20))
    second = ada.resume(first.last_event_id)

    sent = [[each["progress"] for each in reply.notifications("notifications/progress")] for reply in (first, second)]

    assert sent == [[10], [20]]


@requirement("A-SSE-10", "A-SSE-2")
def test_a_response_that_was_lost_on_its_way_is_sent_again(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.run(task_id)

    lost, again = ada.resume(place), ada.resume(place)

    assert lost.messages[-1] == again.messages[-1]


@requirement("A-SSE-11", "A-SSE-17", "A-TASK-42")
@pytest.mark.parametrize("thief", [BOB, EVE])
def test_an_event_id_of_another_caller_is_not_accepted(harness: Harness, ada: Client, thief: Caller) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    stranger = Client(harness, thief)
    stranger.initialize()
    before = harness.kept()

    stolen, forged = stranger.resume(place), stranger.resume("forged")

    assert (stolen.status, stolen.body) == (405, forged.body)
    assert harness.kept() == before


@requirement("A-SSE-11", "A-SSE-9")
def test_an_event_id_belongs_to_its_session(harness: Harness, ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    again = Client(harness)
    again.initialize()

    assert again.resume(place).status == 405


@requirement("A-SSE-13", "A-TASK-27")
def test_a_change_of_a_task_is_sent_on_one_stream_only(harness: Harness, ada: Client) -> None:
    task_id = ada.start("hike", steps=[1.0], _meta={"progressToken": "t"})
    places = [ada.send_request("tasks/result", {"taskId": task_id}).last_event_id for _ in range(3)]
    harness.progress(task_id, 10)

    replies = [ada.resume(place) for place in places]

    assert [len(reply.notifications("notifications/progress")) for reply in replies] == [1, 0, 0]
    assert [len(reply.notifications("notifications/tasks/status")) for reply in replies] == [1, 0, 0]


@requirement("A-SSE-17", "A-SSE-18")
@pytest.mark.parametrize("tool", ["ponder", "refuse"])
def test_a_stream_ends_with_the_response(harness: Harness, ada: Client, tool: str) -> None:
    task_id = ada.start(tool)
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.run(task_id)
    answered = ada.resume(place)

    reply = ada.resume(answered.last_event_id)

    assert ("error" in answered.messages[-1]) == (tool == "refuse")
    assert (reply.status, reply.headers["allow"]) == (405, "POST, DELETE")


@requirement("A-SSE-17")
@pytest.mark.parametrize("place", ["", "x", "a.b", ".", "é.é", "\x00", "W10.W10", "z" * 9_000, "[" * 5_000 + ".x"])
def test_a_forged_event_id_is_not_accepted(harness: Harness, ada: Client, place: str) -> None:
    before = harness.kept()

    reply = ada.resume(place)

    assert (reply.status, "stream" in reply.error["message"], harness.kept()) == (405, True, before)


@requirement("A-SSE-17")
def test_an_event_id_with_any_change_is_not_accepted(ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    for at in range(0, len(place), 7):
        other = "A" if place[at] != "A" else "B"
        # The last character of either part may carry bits that mean nothing.
        if place[at] != "." and place[at + 1 : at + 2] not in ("", "."):
            assert ada.resume(place[:at] + other + place[at + 1 :]).status == 405


@requirement("A-SSE-17")
def test_an_event_id_expires(harness: Harness, ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    for _ in range(2):
        harness.clock.advance(EVENT_ID_LIFETIME * 0.6)
        assert ada.result("ping") == {}

    assert ada.resume(place).status == 405


@requirement("A-SSE-17", "A-PAG-2")
def test_a_cursor_of_a_list_is_no_event_id_and_no_event_id_is_a_cursor(ada: Client) -> None:
    cursor = ada.result("tools/list")["nextCursor"]
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id

    assert ada.resume(cursor).status == 405
    assert ada.error("tools/list", cursor=place)["code"] == -32602


class Outage:
    """A waiter that is not reachable."""

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        raise OSError("no route to host")
        yield


@requirement("A-SSE-19")
def test_after_an_unexpected_error_the_stream_is_resumed_later_at_the_same_event(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    primed = ada.send_request("tasks/result", {"taskId": task_id})
    up = harness.server
    harness.change(tasks=TaskService(ports=replace(harness.ports, waiter=Outage())))
    harness.event_ids.clear()

    down = ada.resume(primed.last_event_id)
    harness.server = up
    harness.run(task_id)

    assert (down.status, [event.data for event in down.events], down.last_event_id) == (200, [""], primed.last_event_id)
    assert (down.events[0].retry or 0) > (primed.events[0].retry or 0)
    assert "result" in ada.resume(down.last_event_id).messages[-1]


@requirement("A-SSE-7", "A-TASK-28")
def test_a_client_that_disconnects_does_not_affect_the_task(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    for _ in range(3):
        ada.send_request("tasks/result", {"taskId": task_id})
    assert ada.result("tasks/get", taskId=task_id)["status"] == "working"
    harness.run(task_id)

    assert ada.result("tasks/get", taskId=task_id)["status"] == "completed"
    assert ada.result("tasks/result", taskId=task_id)["isError"] is False
