"""Requests while the table is throttled: served after it, told to come again, and never told that a task failed."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.tasks.model import Returned
from tests.cloud import cloud
from tests.contract.faults import FaultyClient
from tests.kit import BOB, NOON
from tests.protocol.all_features import ALL
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import Either, New, Old
from tests.protocol.unreadable import TableHarness, fallbacks

DONE = Returned(result={"content": [{"type": "text", "text": "done"}]})
HAS = timedelta(seconds=28)
"""How long a request has at the endpoint."""

NO_CAPACITY = {
    "code": -31052,
    "message": "The server has no capacity at present, and did nothing: send this again in 5 seconds.",
    "data": {"reason": "unavailable", "retryAfter": 5},
}
READ = ("get_item", "query")
ALL_CALLS = (*READ, "put_item", "update_item", "transact_write_items")


@dataclass(kw_only=True)
class Throttling:
    """Throttles some operations of the table, on items of some kinds, until a moment."""

    now: Any = None
    until: datetime = NOON
    operations: tuple[str, ...] = ()
    of: str = ""
    refused: list[str] = field(default_factory=list)

    def begin(self, *operations: str, lasts: float, of: str = "") -> None:
        self.operations, self.of, self.until = operations, of, self.now() + timedelta(seconds=lasts)

    def __call__(self, operation: str, request: Mapping[str, Any]) -> None:
        if operation in self.operations and self.of in str(request) and self.now() < self.until:
            self.refused.append(operation)
            error: Any = {"Error": {"Code": "ThrottlingException", "Message": ""}}
            raise ClientError(error, operation)


@pytest.fixture
def throttling() -> Throttling:
    return Throttling()


@pytest.fixture
def harness(throttling: Throttling) -> Iterator[TableHarness]:
    with cloud() as aws:
        found = TableHarness(replace(aws, dynamodb=FaultyClient(aws.dynamodb, throttling)), ALL)
        throttling.now = found.clock.now
        found.change(limit=HAS)
        yield found


def seconds_since(harness: TableHarness, began: datetime) -> float:
    return (harness.clock.now() - began).total_seconds()


@requirement("B-ERR-4", "A-TASK-32")
def test_a_poll_that_is_throttled_for_twenty_seconds_is_answered_after_them(
    harness: TableHarness, throttling: Throttling, ada: Either
) -> None:
    task_id = ada.start()
    harness.finish(task_id, DONE)
    throttling.begin(*ALL_CALLS, lasts=20)

    began = harness.clock.now()
    assert ada.result("tasks/get", taskId=task_id)["status"] == "completed"
    assert 20 <= seconds_since(harness, began) < 25
    assert throttling.refused


@requirement("B-ERR-4", "B-ERR-10")
def test_a_poll_that_is_throttled_for_longer_is_answered_503_with_retry_after(
    harness: TableHarness, throttling: Throttling, new: New, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = new.start()
    harness.finish(task_id, DONE)
    throttling.begin(*READ, lasts=60)

    began = harness.clock.now()
    reply = new.send_request("tasks/get", {"taskId": task_id})

    assert 20 < seconds_since(harness, began) < 24
    assert (reply.status, reply.headers["retry-after"]) == (503, "5")
    assert reply.error == NO_CAPACITY
    assert fallbacks(caplog) == {"come_again"}


@requirement("A-SSE-2", "A-SSE-3", "A-SSE-5")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/list"])
def test_a_poll_in_a_session_is_answered_on_a_stream_that_its_client_resumes(
    harness: TableHarness, throttling: Throttling, old: Old, method: str
) -> None:
    task_id = old.start()
    harness.finish(task_id, DONE)
    throttling.begin(*READ, lasts=25, of="task#")

    reply = old.send_request(method, {} if method == "tasks/list" else {"taskId": task_id}, id=7)

    (event,) = reply.events
    assert (reply.status, event.retry, event.data) == (200, 5_000, "")
    response, _ = old.follow(reply)
    assert response["id"] == 7
    assert "error" not in response


@requirement("A-SSE-5")
def test_a_deferred_poll_of_a_task_that_is_gone_is_answered_with_its_error(
    harness: TableHarness, throttling: Throttling, old: Old
) -> None:
    throttling.begin(*READ, lasts=25, of="task#")
    (event,) = old.send_request("tasks/get", {"taskId": "a" * 26}, id=7).events

    response = old.resume(event.id).response
    assert (response["id"], response["error"]["code"]) == (7, -32602)


@requirement("A-SESS-8", "A-SSE-17")
def test_a_deferred_poll_is_served_to_its_caller_alone(harness: TableHarness, throttling: Throttling, old: Old) -> None:
    task_id, other = old.start(), Old(harness, BOB)
    other.initialize({"tasks": {}})
    throttling.begin(*READ, lasts=25, of="task#")
    (event,) = old.send_request("tasks/get", {"taskId": task_id}, id=7).events

    assert other.resume(event.id).response["error"]["code"] == -32602
    assert old.resume(event.id).response["result"]["status"] == "working"


@requirement("A-SSE-17")
@pytest.mark.parametrize(
    "request_body",
    [
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ponder"}}',
        '{"jsonrpc": "2.0", "method": "tasks/get"}',
        "[]",
        "no JSON",
    ],
)
def test_an_event_id_that_holds_no_read_resumes_nothing(harness: TableHarness, old: Old, request_body: str) -> None:
    forged = b64encode(request_body.encode()).decode()

    assert old.resume(f"request.{forged}").status == 405
    assert old.resume("request.\u00e4").status == 405
    assert not harness.executor.started


@requirement("A-SSE-10", "A-SSE-19")
def test_a_stream_that_is_throttled_is_told_to_resume_from_the_same_event(
    harness: TableHarness, throttling: Throttling, old: Old
) -> None:
    task_id = old.start()
    event = old.send_request("tasks/result", {"taskId": task_id}).events[-1]
    throttling.begin(*READ, lasts=60)
    harness.event_ids.clear()

    reply = old.resume(event.id)

    assert (reply.status, reply.body) == (200, f"id: {event.id}\nretry: 5000\ndata: \n\n")


@requirement("A-HTTP-10", "B-ERR-4")
def test_a_call_that_could_not_be_stored_did_nothing_and_may_be_sent_again(
    harness: TableHarness, throttling: Throttling, ada: Either
) -> None:
    throttling.begin("transact_write_items", lasts=60)

    reply = ada.send_request(
        "tools/call",
        {"name": "ponder", "arguments": {"question": "why?"}, **({"task": {}} if isinstance(ada, Old) else {})},
    )

    # 503 would end the session of the Python client 1.x.
    assert (reply.status, reply.headers["retry-after"]) == (200 if isinstance(ada, Old) else 503, "5")
    assert reply.error == NO_CAPACITY
    assert not harness.executor.started


@requirement("A-TASK-32")
def test_a_call_whose_task_was_stored_is_answered_with_the_task(
    harness: TableHarness, throttling: Throttling, ada: Either, caplog: pytest.LogCaptureFixture
) -> None:
    throttling.begin("update_item", "query", lasts=60)

    task_id = ada.start()

    throttling.begin(lasts=0)
    assert ada.result("tasks/get", taskId=task_id)["status"] == "working"
    assert fallbacks(caplog) == {"left_to_stream"}
