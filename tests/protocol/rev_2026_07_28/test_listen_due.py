"""`subscriptions/listen` for tasks that already await input or are final: sent at once, and once."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.model import Returned
from mcp_tasks.testing.replies import Reply
from tests.kit import NOON
from tests.protocol import prompts_and_resources, sample_tools, task_input_tools
from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, MOON
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ABLE, CAPABILITIES, KNOWS_TASKS, Client

HOUR = timedelta(hours=1)
ROOTS_ONLY = {**KNOWS_TASKS, "roots": {}}


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of([*task_input_tools.TOOLS, *sample_tools.TOOLS], [], prompts_and_resources.RESOURCES))


def suspended(ada: Client, tool: str = "publish", **arguments: Any) -> str:
    """Start a task, and run it to its first input request."""
    task_id = ada.start(tool, **arguments or ({"topic": "tides"} if tool == "publish" else {}))
    ada.harness.run(task_id)
    return task_id


def listen(client: Client, *task_ids: str, capabilities: Any = ABLE) -> Reply:
    wanted = {"notifications": {"taskIds": list(task_ids)}}
    return client.send_request("subscriptions/listen", wanted, meta={CAPABILITIES: capabilities})


def requested_keys(reply: Reply) -> dict[str, list[str]]:
    """Return the keys of the input requests that a listener was sent, by task."""
    return {each["taskId"]: list(each.get("inputRequests", {})) for each in reply.notifications("notifications/tasks")}


def answer(ada: Client, task_id: str, **answers: Any) -> None:
    ada.result("tasks/update", taskId=task_id, inputResponses=answers)


def stream_lengths(harness: Harness, ada: Client, task_id: str, until: timedelta) -> Iterator[float]:
    """Listen again whenever a stream ends, and yield how many seconds each stream lasted."""
    while harness.clock.now() - NOON < until:
        before = harness.clock.now()
        assert task_id in requested_keys(listen(ada, task_id))
        # What the network takes.
        harness.clock.advance(timedelta(milliseconds=100))
        yield (harness.clock.now() - before).total_seconds()


@requirement("B-TASK-27", "B-TASK-13")
def test_a_task_that_awaits_input_is_sent_at_once(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    before = (harness.waiter.pauses, harness.clock.now())

    reply = listen(ada, task_id)

    (sent,) = reply.notifications("notifications/tasks")
    assert (sent["status"], list(sent["inputRequests"])) == ("input_required", ["title"])
    assert (harness.waiter.pauses, harness.clock.now()) == before


@requirement("B-TASK-27", "B-BASE-7")
def test_each_subscription_is_notified_of_it(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)

    first, second = listen(ada, task_id), listen(Client(harness), task_id)

    assert requested_keys(first) == requested_keys(second) == {task_id: ["title"]}


@requirement("B-TASK-27", "B-TASK-22")
def test_an_input_request_that_came_between_two_streams_is_not_lost(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    first = listen(ada, task_id)
    answer(ada, task_id, title=MOON)

    second = listen(ada, task_id)

    assert (requested_keys(first), requested_keys(second)) == ({task_id: ["title"]}, {task_id: ["consent"]})


@requirement("B-TASK-27", "B-TASK-13")
def test_what_is_left_to_answer_is_due_too(ada: Client) -> None:
    task_id = suspended(ada, "convene")
    answer(ada, task_id, title=CONVENED["title"])

    assert requested_keys(listen(ada, task_id)) == {task_id: ["word", "folders"]}


@requirement("B-TASK-20", "B-TASK-27", "B-BASE-5")
def test_what_this_client_cannot_answer_is_not_due(harness: Harness, ada: Client) -> None:
    cannot, can = suspended(ada), suspended(ada, "convene")

    assert requested_keys(listen(ada, cannot, can, capabilities=ROOTS_ONLY)) == {can: ["folders"]}
    assert requested_keys(listen(ada, cannot, capabilities=ROOTS_ONLY)) == {}
    assert harness.clock.now() - NOON > timedelta(seconds=6)


@requirement("B-TASK-27")
def test_a_version_is_sent_once_though_it_is_due_and_new(harness: Harness, ada: Client) -> None:
    task_id, other = suspended(ada), suspended(ada)
    harness.clock.advance(HOUR)
    harness.while_waiting(lambda: answer(ada, task_id, title=MOON))

    reply = listen(ada, task_id, other)

    assert requested_keys(reply) == {task_id: ["consent"], other: ["title"]}
    assert len(reply.notifications("notifications/tasks")) == 2


@requirement("B-TASK-27", "B-SUB-4")
def test_a_client_that_listens_repeatedly_is_notified_ever_less_often(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    harness.waiter.pace = timedelta(milliseconds=10)

    pauses = list(stream_lengths(harness, ada, task_id, until=timedelta(minutes=2)))

    assert pauses[0] == pytest.approx(0.1)
    assert pauses[-1] == pytest.approx(2.1)
    assert pauses == sorted(pauses)
    # At the network's pace it would be 1,200.
    assert len(pauses) < 120


@requirement("B-TASK-27")
@pytest.mark.parametrize("ended", [True, False], ids=["final", "asking"])
def test_who_comes_late_waits_for_two_seconds_at_most(harness: Harness, ada: Client, ended: bool) -> None:
    task_id = ada.start() if ended else suspended(ada)
    if ended:
        harness.finish(task_id, Returned(result={"content": []}))
    harness.clock.advance(HOUR)
    before = harness.clock.now()

    (sent,) = listen(ada, task_id).notifications("notifications/tasks")

    assert sent["status"] == ("completed" if ended else "input_required")
    assert harness.clock.now() - before <= timedelta(seconds=2)


@requirement("B-TASK-27", "B-SUB-4")
def test_due_updates_are_sent_although_there_is_hardly_time(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    harness.clock.advance(HOUR)
    harness.change(max_hold=timedelta(milliseconds=500))
    before = harness.clock.now()

    assert requested_keys(listen(ada, task_id)) == {task_id: ["title"]}
    assert harness.clock.now() - before <= timedelta(milliseconds=500)


@requirement("B-TASK-27", "B-RSC-3")
def test_changes_elsewhere_are_sent_with_it(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    harness.clock.advance(HOUR)
    harness.while_waiting(lambda: harness.server.subscriptions.publish(ada.caller, "weather://now"))
    wanted = {"taskIds": [task_id], "resourceSubscriptions": ["weather://now"]}

    reply = ada.send_request("subscriptions/listen", {"notifications": wanted})

    assert requested_keys(reply) == {task_id: ["title"]}
    assert [each["uri"] for each in reply.notifications("notifications/resources/updated")] == ["weather://now"]


@requirement("B-SUB-4", "B-TASK-27")
def test_a_long_task_is_not_held_for_and_its_listener_is_told_when_to_listen_again(
    harness: Harness, ada: Client
) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(minutes=10))
    began, streams, held = harness.clock.now(), 0, timedelta()

    while harness.clock.now() - began < HOUR:
        before = harness.clock.now()
        reply = listen(ada, task_id)
        streams, held = streams + 1, held + harness.clock.now() - before
        again = reply.response["result"]["_meta"]["io.github.mcp-task-server/listenAgainMs"]
        assert again == reply.retry / timedelta(milliseconds=1) == 30_000
        harness.clock.advance(reply.retry)

    # 144 streams, and an hour, where each is held.
    assert streams < 120
    assert held < HOUR / 10
    harness.finish(task_id, Returned(result={"content": []}))
    assert len(listen(ada, task_id).notifications("notifications/tasks")) == 1


@requirement("B-SUB-4", "B-TASK-27")
def test_a_young_task_is_held_for_and_so_is_who_watches_a_resource(harness: Harness, ada: Client) -> None:
    young, wanted = ada.start(), {"resourceSubscriptions": ["weather://now"]}
    before = harness.clock.now()
    reply = listen(ada, young)
    # Longer would cost more than to listen again and again.
    assert timedelta(seconds=6) < harness.clock.now() - before <= timedelta(seconds=7)
    assert reply.response["result"]["_meta"]["io.github.mcp-task-server/listenAgainMs"] == 500

    harness.clock.advance(HOUR / 2)
    before = harness.clock.now()
    ada.send_request("subscriptions/listen", {"notifications": {**wanted, "taskIds": [young]}})
    assert harness.clock.now() - before > timedelta(seconds=20)
