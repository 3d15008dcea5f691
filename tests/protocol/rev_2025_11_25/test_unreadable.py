"""Items of sessions that are damaged, or that a newer release wrote."""

import json
from collections.abc import Iterator

import pytest

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.model import Returned
from tests.protocol import prompts_and_resources, sample_tools, task_input_tools
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import RELATED, able, suspended
from tests.protocol.unreadable import NEWER, TableHarness, fallbacks, on_the_table

WEATHER, FORECAST = "weather://now", "weather://tomorrow"
DONE = Returned(result={"content": [{"type": "text", "text": "done"}]})
FEATURES = Features.of(
    [*prompts_and_resources.TOOLS, *task_input_tools.TOOLS, *sample_tools.TOOLS], [], prompts_and_resources.RESOURCES
)


@pytest.fixture
def harness() -> Iterator[TableHarness]:
    with on_the_table(FEATURES) as found:
        yield found


def awaited_task(ada: Client) -> tuple[str, str | None]:
    """Return the id of a task whose result the client waits for, and where its stream is to be resumed."""
    task_id = ada.start()
    return task_id, ada.send_request("tasks/result", {"taskId": task_id}).last_event_id


@requirement("A-SESS-5")
@pytest.mark.parametrize("changes", [NEWER, {"capabilities": {"S": "SECRET"}}], ids=["newer", "damaged"])
def test_a_session_that_cannot_be_read_is_not_found_so_that_its_client_initializes_again(
    harness: TableHarness, ada: Client, changes: Item, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = ada.start()
    harness.spoil("session#", changes)
    # What this process read before is believed for some seconds.
    harness.restart()

    replies = [ada.send_request("tools/list"), ada.send("GET", accept="text/event-stream"), ada.send("DELETE")]

    assert [reply.status for reply in replies] == [404] * 3
    assert fallbacks(caplog) == {"unreadable_item"}
    assert "SECRET" not in caplog.text
    again = Client(harness)
    again.initialize()
    assert again.result("tasks/get", taskId=task_id)["status"] == "working"


@requirement("A-RES-4")
def test_a_change_that_cannot_be_read_keeps_no_other_from_its_subscriber(
    harness: TableHarness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    for uri in (WEATHER, FORECAST):
        ada.result("resources/subscribe", uri=uri)
    ada.call("report", uri=WEATHER)
    harness.spoil("changed#", {"version": {"S": "SECRET"}})
    ada.call("report", uri=FORECAST)

    reply = ada.send("GET", accept="text/event-stream")

    assert [each["uri"] for each in reply.notifications("notifications/resources/updated")] == [FORECAST]
    assert fallbacks(caplog) == {"unreadable_item"}


@requirement("A-GET-3", "A-RES-4")
def test_a_stream_to_listen_on_outlives_subscriptions_that_a_newer_release_keeps(
    harness: TableHarness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    ada.result("resources/subscribe", uri=WEATHER)
    harness.spoil("watching#", NEWER)

    assert ada.send("GET", accept="text/event-stream").status == 200
    assert fallbacks(caplog) == {"unreadable_item"}
    # What cannot be promised is not.
    assert ada.send_request("resources/subscribe", {"uri": FORECAST}).error["code"] == -32603


@requirement("A-SSE-7")
@pytest.mark.parametrize("changes", [NEWER, {"dropped": {"S": "SECRET"}}], ids=["newer", "damaged"])
def test_a_stream_is_resumed_though_what_is_kept_of_it_cannot_be_read(harness: TableHarness, changes: Item) -> None:
    ada = Client(harness)
    ada.initialize({"tasks": {}})
    harness.idle = True
    call = ada.send_request("tools/call", {"name": "add", "arguments": {"numbers": [1]}})
    harness.spoil("stream#", changes)
    (task_id,) = [each["taskId"] for each in ada.result("tasks/list")["tasks"]]
    harness.finish(task_id, DONE)

    assert ada.resume(call.last_event_id).messages[-1]["result"]["content"] == DONE.result["content"]


@requirement("A-TASK-24")
def test_who_waits_for_a_task_that_is_damaged_is_answered_with_an_error(
    harness: TableHarness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    task_id, place = awaited_task(ada)
    harness.spoil(f"task#{task_id}", {"details": {"S": "SECRET"}})

    reply = ada.resume(place)

    assert reply.messages[-1]["error"]["code"] == -32603
    assert "is damaged" in reply.messages[-1]["error"]["message"]
    assert ada.resume(reply.last_event_id).status == 405
    assert f"item task#{task_id} cannot be read: details does not fit" in caplog.text
    assert "SECRET" not in caplog.text


@requirement("A-TASK-24")
def test_who_waits_for_a_result_whose_object_is_gone_is_answered_with_an_error(
    harness: TableHarness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    task_id, place = awaited_task(ada)
    harness.finish(task_id, Returned(result={"content": [{"type": "text", "text": "SECRET" * 2_000}]}))
    harness.lose_objects()

    reply = ada.resume(place)

    assert "is damaged" in reply.messages[-1]["error"]["message"]
    assert ada.resume(reply.last_event_id).status == 405
    assert "is damaged" in ada.error("tasks/result", taskId=task_id)["message"]
    assert caplog.text.count("cannot be read: object does not fit") == 1
    assert fallbacks(caplog) == {"unreadable_item"}


@requirement("A-TASK-24")
def test_a_stream_that_waits_for_a_task_of_a_newer_release_ends_to_be_resumed(
    harness: TableHarness, ada: Client, caplog: pytest.LogCaptureFixture
) -> None:
    task_id, place = awaited_task(ada)
    harness.spoil(f"task#{task_id}", NEWER)
    for _ in range(3):
        # A stream that backs off sends the same id again.
        harness.event_ids.clear()
        reply = ada.resume(place)
        assert (reply.messages, reply.last_event_id) == ([], place)
    assert caplog.text.count("a stream backs off: ") == 1
    assert fallbacks(caplog) == {"unreadable_item"}


@requirement("A-INP-1")
@pytest.mark.parametrize("changes", [NEWER, {"turn": {"S": "SECRET"}}], ids=["newer", "damaged"])
def test_an_input_request_whose_delivery_cannot_be_read_keeps_no_other_from_its_client(
    harness: TableHarness, changes: Item, caplog: pytest.LogCaptureFixture
) -> None:
    ada = able(harness)
    lost = suspended(ada)
    assert ada.send_request("tasks/result", {"taskId": lost}).input_requests
    harness.spoil("delivery#", changes)
    task_id = suspended(ada)

    assert ada.send_request("tasks/result", {"taskId": lost}).input_requests == []
    (sent,) = ada.send("GET", accept="text/event-stream").input_requests
    assert sent["params"]["_meta"][RELATED] == {"taskId": task_id}
    assert fallbacks(caplog) == {"unreadable_item"}
    # Nothing is due, so that a stream is held and not ended at once.
    began = harness.clock.now()
    waiting = ada.send_request("tasks/result", {"taskId": lost})
    ada.resume(waiting.last_event_id)
    assert harness.clock.now() - began >= harness.server.max_hold


BEYOND_ALL = {"progress": {"progress": 10**400, "total": 7}, "startedAt": "2026-01-01T12:00:00+00:00"}


@requirement("A-TASK-31")
@pytest.mark.parametrize(
    "changes",
    [
        {"details": {"S": "SECRET"}},
        NEWER,
        {"createdAt": {"S": "9999-12-31T23:59:59+00:00"}},
        {"details": {"S": json.dumps(BEYOND_ALL)}, "updatedAt": {"S": "2026-01-01T12:20:00+00:00"}},
    ],
    ids=["damaged", "newer", "a time beyond all", "a number beyond all"],
)
def test_a_task_that_cannot_be_listed_is_left_out_of_the_list_and_counted(
    harness: TableHarness, ada: Client, changes: Item, caplog: pytest.LogCaptureFixture
) -> None:
    ids = [ada.start() for _ in range(3)]
    harness.spoil(f"task#{ids[1]}", changes)

    answer = ada.result("tasks/list")

    assert {each["taskId"] for each in answer["tasks"]} == {ids[0], ids[2]}
    assert answer["_meta"] == {"io.github.mcp-task-server/leftOut": 1}
    assert f"item task#{ids[1]} " in caplog.text
    assert "SECRET" not in caplog.text


@requirement("A-TASK-31")
def test_a_list_that_has_all_tasks_counts_none(harness: TableHarness, ada: Client) -> None:
    ada.start()

    assert "_meta" not in ada.result("tasks/list")
