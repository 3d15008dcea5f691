"""Progress is sent on the stream of the request whose token it has, and on no other."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.testing.replies import Reply
from mcp_tasks.testing.rev_2025_11_25 import REVISION
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

MINUTE = timedelta(minutes=1)
OLDER = ["2025-06-18", "2025-03-26"]
HIKE: dict[str, Any] = {"name": "hike", "arguments": {"steps": [1]}, "_meta": {"progressToken": "t"}}


def session(harness: Harness, version: str = REVISION, capabilities: Mapping[str, Any] | None = None) -> Client:
    client = Client(harness, version=version)
    client.initialize(capabilities)
    return client


@pytest.fixture
def joined(harness: Harness) -> Client:
    """A client with tasks, whose plain calls wait on a stream until they finish."""
    return session(harness, capabilities={"tasks": {}})


def progress_of(*replies: Reply) -> list[tuple[Any, float]]:
    """Return all progress notifications, as token and progress."""
    notifications = [each for reply in replies for each in reply.notifications("notifications/progress")]
    return [(each["progressToken"], each["progress"]) for each in notifications]


def statuses(reply: Reply) -> list[str]:
    return [each["status"] for each in reply.notifications("notifications/tasks/status")]


def idle(harness: Harness) -> Callable[[], str]:
    """Let no task run by itself; returns a function for the id of the only task."""
    harness.idle = True
    return lambda: next(iter(harness.executor.started))


@requirement("A-PROG-1", "A-TASK-40", "A-SSE-13")
def test_a_second_session_takes_no_progress_from_the_one_that_sent_the_token(harness: Harness, ada: Client) -> None:
    task_id, other = ada.start(_meta={"progressToken": "t"}), session(harness)
    own, foreign = (client.send_request("tasks/result", {"taskId": task_id}).last_event_id for client in (ada, other))
    harness.progress(task_id, 3)

    elsewhere, here = other.resume(foreign), ada.resume(own)

    assert (progress_of(elsewhere), progress_of(here)) == ([], [("t", 3)])
    assert statuses(elsewhere) == statuses(here) == ["working"]


@requirement("A-TASK-38", "A-SSE-13")
def test_each_session_is_sent_each_version_on_one_of_its_streams(harness: Harness, ada: Client) -> None:
    task_id = ada.start(_meta={"progressToken": "t"})
    first, second = (ada.send_request("tasks/result", {"taskId": task_id}).last_event_id for _ in range(2))
    harness.progress(task_id, 3)

    replies = [ada.resume(first), ada.resume(second)]

    assert progress_of(*replies) == [("t", 3)]
    assert [status for reply in replies for status in statuses(reply)] == ["working"]


@requirement("A-PROG-2")
@pytest.mark.parametrize("until_status", [timedelta(), 3 * MINUTE])
def test_a_session_is_sent_progress_once_on_whichever_of_its_streams(
    harness: Harness, ada: Client, until_status: timedelta
) -> None:
    task_id = ada.start(_meta={"progressToken": "t"})
    first, second = (ada.send_request("tasks/result", {"taskId": task_id}).last_event_id for _ in range(2))
    harness.progress(task_id, 3)
    sent = ada.resume(first)
    # What the second stream has to tell is newer, and no further.
    harness.clock.advance(until_status)
    harness.report_status(task_id, "Nearly there.")

    replies = [sent, ada.resume(second), ada.resume(sent.last_event_id)]

    told = [progress for _, progress in progress_of(*replies)]
    assert told[0] == 3
    assert told == sorted(set(told))
    assert [status for reply in replies for status in statuses(reply)] == ["working", "working"]


@requirement("A-PROG-2")
def test_a_stream_is_sent_the_progress_since_it_began_though_another_one_told_of_a_newer_version(
    harness: Harness, ada: Client
) -> None:
    task_id = ada.start(_meta={"progressToken": "t"})
    first = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.progress(task_id, 3)
    # It begins with this progress.
    second = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.report_status(task_id, "Nearly there.")
    told = ada.resume(second)

    late = ada.resume(first)

    assert (progress_of(told), statuses(told)) == ([], ["working"])
    assert (progress_of(late), statuses(late)) == ([("t", 3)], [])


@requirement("A-PROG-1", "A-HTTP-8")
@pytest.mark.parametrize("version", [REVISION, *OLDER])
def test_a_plain_call_is_sent_progress_before_its_response(harness: Harness, version: str) -> None:
    reply = session(harness, version).send_request("tools/call", HIKE, id=5)

    assert (reply.streamed, progress_of(reply)) == (True, [("t", 1)])
    assert (reply.messages[-1]["id"], reply.messages[-1]["result"]["isError"]) == (5, False)
    assert all(event.data for event in reply.events)


@requirement("A-PROG-1")
@pytest.mark.parametrize("version", [REVISION, *OLDER])
def test_without_a_token_it_is_answered_in_json(harness: Harness, version: str) -> None:
    reply = session(harness, version).send_request("tools/call", {**HIKE, "_meta": {}})

    assert reply.headers["content-type"] == "application/json"


@requirement("A-PROG-1", "A-PROG-2", "A-SSE-1")
def test_a_call_that_continues_on_its_stream_is_sent_later_notifications_there(
    harness: Harness, joined: Client
) -> None:
    task_id = idle(harness)
    harness.while_waiting(lambda: harness.progress(task_id(), 1))
    first = joined.send_request("tools/call", HIKE)
    harness.while_waiting(lambda: harness.progress(task_id(), 2))
    second = joined.resume(first.last_event_id)
    harness.progress(task_id(), 3)
    harness.run(task_id())

    last = joined.resume(second.last_event_id)

    assert [progress_of(reply) for reply in (first, second, last)] == [[("t", 1)], [("t", 2)], [("t", 3)]]
    assert first.events[0].data == ""
    assert "result" in last.messages[-1]


@requirement("A-PROG-1", "A-SSE-13")
def test_whoever_waits_for_the_task_behind_a_plain_call_takes_no_progress_from_it(
    harness: Harness, joined: Client
) -> None:
    task_id, other = idle(harness), session(harness)
    call = joined.send_request("tools/call", HIKE)
    waits = [client.send_request("tasks/result", {"taskId": task_id()}).last_event_id for client in (joined, other)]
    harness.progress(task_id(), 2)

    replies = [joined.resume(waits[0]), other.resume(waits[1])]

    assert progress_of(*replies) == []
    assert progress_of(joined.resume(call.last_event_id)) == [("t", 2)]


@requirement("A-PROG-1", "A-TASK-5")
@pytest.mark.parametrize("version", [REVISION, *OLDER])
def test_a_later_wait_for_a_task_behind_a_handle_is_sent_progress_under_its_own_token(
    harness: Harness, version: str
) -> None:
    client = session(harness, version)
    task_id = idle(harness)
    harness.while_waiting(lambda: harness.progress(task_id(), 1))
    task_handle, _ = client.follow(client.send_request("tools/call", HIKE))
    named = {"task_id": task_handle["result"]["structuredContent"]["task_id"]}
    call = {"name": "task_result", "arguments": named, "_meta": {"progressToken": 7}}
    harness.while_waiting(lambda: harness.progress(task_id(), 2))

    coming = client.send_request("tools/call", call)

    assert progress_of(coming) == [(7, 2)]


@requirement("A-PROG-1", "A-CANC-2", "A-TASK-37")
@pytest.mark.parametrize("version", OLDER)
def test_abandoning_a_call_that_returned_a_task_handle_does_not_end_its_work(harness: Harness, version: str) -> None:
    client, task_id = session(harness, version), idle(harness)
    harness.while_waiting(lambda: harness.progress(task_id(), 1))
    reply = client.send_request("tools/call", HIKE, id=3)

    client.send_notification("notifications/cancelled", {"requestId": 3})

    assert (progress_of(reply), harness.executor.stopped) == ([("t", 1)], {})
