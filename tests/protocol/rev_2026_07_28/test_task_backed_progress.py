"""Progress of a call of a client without tasks, behind which there is a task."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.testing.replies import Reply
from tests.protocol.harness import Harness
from tests.protocol.input_responses import YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ABLE, ANSWERS, LOG_LEVEL, Client
from tests.protocol.task_input_tools import Consent

HIKE: dict[str, Any] = {"name": "hike", "arguments": {"steps": [1]}}


def started(harness: Harness) -> str:
    """Return the id of the only task."""
    (task_id,) = harness.executor.started
    return task_id


def progress(harness: Harness, step: float) -> None:
    harness.progress(started(harness), step)


def progress_of(reply: Reply) -> list[tuple[Any, float]]:
    return [(each["progressToken"], each["progress"]) for each in reply.notifications("notifications/progress")]


@requirement("B-PROG-1", "B-HTTP-7", "B-HTTP-9")
@pytest.mark.parametrize("token", [0, "0", "", "t"], ids=repr)
def test_a_call_that_waits_is_sent_progress_before_its_response(plain: Client, token: Any) -> None:
    reply = plain.send_request("tools/call", HIKE, id=5, meta={"progressToken": token})

    assert (reply.streamed, reply.headers["x-accel-buffering"]) == (True, "no")
    assert reply.messages[0]["params"] == {"progressToken": token, "progress": 1, "total": 100, "message": "step 1"}
    assert (len(reply.messages), reply.messages[-1]["id"]) == (2, 5)


@requirement("B-PROG-1", "B-LOG-1")
def test_a_call_without_a_token_is_answered_in_json(plain: Client) -> None:
    assert not plain.send_request("tools/call", HIKE, meta={LOG_LEVEL: "debug"}).streamed


@requirement("B-PROG-1")
def test_progress_that_is_seen_while_the_call_waits_is_sent_in_order(harness: Harness, plain: Client) -> None:
    harness.idle = True
    harness.waiter.pace = timedelta(milliseconds=100)
    harness.while_waiting(*(partial(progress, harness, step) for step in (3, 7, 7, 5, 9)))

    reply = plain.send_request("tools/call", HIKE, meta={"progressToken": "t"})

    assert progress_of(reply) == [("t", 3), ("t", 7), ("t", 9)]
    assert reply.response["result"]["structuredContent"]["status"] == "working"


@requirement("B-PROG-1", "B-TASK-2")
def test_a_later_wait_for_a_calls_task_is_sent_progress_under_its_own_token(harness: Harness, plain: Client) -> None:
    harness.idle = True
    handed = plain.send_request("tools/call", HIKE, meta={"progressToken": "t"}).response["result"]["structuredContent"]
    call = {"name": "task_result", "arguments": {"task_id": handed["task_id"]}}
    harness.while_waiting(lambda: harness.progress(handed["task_id"], 2), lambda: harness.run(handed["task_id"]))

    reply = plain.send_request("tools/call", call, meta={"progressToken": 7})

    assert (progress_of(reply), reply.response["result"]["isError"]) == ([(7, 2)], False)


@requirement("B-PROG-1", "B-MRTR-1")
def test_each_round_trip_is_sent_the_notifications_made_in_it(harness: Harness) -> None:
    @tool()
    def climb(context: Context) -> str:
        """Report progress before and after an input request."""
        context.report_progress(1, 2)
        context.elicit("Further?", Consent, key="further")
        harness.clock.advance(timedelta(seconds=2))
        context.report_progress(2, 2)
        return "up"

    harness.change(features=Features.of([climb]))
    client, call = Client(harness, capabilities=ANSWERS), {"name": "climb", "arguments": {}}
    first = client.send_request("tools/call", call, meta={"progressToken": "a"})
    answers = {"requestState": first.response["result"]["requestState"], "inputResponses": {"further": YES}}

    second = client.send_request("tools/call", call | answers, meta={"progressToken": "b"})

    assert (progress_of(first), progress_of(second)) == ([("a", 1)], [("b", 2)])


@requirement("B-PROG-1", "B-TASK-3", "B-TASK-28")
@pytest.mark.parametrize("quick", [True, False])
def test_a_client_with_tasks_is_sent_progress_if_it_is_answered_at_once(harness: Harness, quick: bool) -> None:
    client = Client(harness, capabilities=ABLE)
    harness.idle = True
    harness.waiter.pace = timedelta(milliseconds=100)
    harness.while_waiting(partial(progress, harness, 1), lambda: harness.run(started(harness)) if quick else None)

    reply = client.send_request("tools/call", HIKE, meta={"progressToken": "t"})

    assert progress_of(reply) == ([("t", 1)] if quick else [])
    assert reply.response["result"]["resultType"] == ("complete" if quick else "task")
