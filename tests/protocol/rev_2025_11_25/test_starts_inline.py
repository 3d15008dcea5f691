"""Tools with `starts_inline` in this revision."""

import pytest

from mcp_tasks.features.listing import Features
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.inline_tools import TOOLS, interrupted, serve_book
from tests.protocol.input_responses import MOON, YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(TOOLS))


@requirement("B-DUAL-13", "A-TASK-9", "A-TASK-11", "A-TASK-5")
def test_who_asks_for_a_task_by_the_earlier_revision_gets_one_at_once(harness: Harness) -> None:
    old = Client(harness)
    old.initialize({"tasks": {}})
    task_id = old.start("fetch", known=True)
    assert old.result("tasks/get", taskId=task_id)["status"] == "working"
    harness.run(task_id)

    assert old.result("tasks/result", taskId=task_id)["content"][0]["text"] == "known"


@requirement("B-DUAL-13", "A-TASK-5")
def test_a_plain_call_by_the_earlier_revision_starts_within_the_call_too(harness: Harness) -> None:
    old = Client(harness)
    old.initialize()

    known = old.call("fetch", known=True)
    before = dict(harness.executor.started)
    fetched = old.call("fetch", known=False)

    assert (known["content"][0]["text"], before) == ("known", {})
    assert (fetched["content"][0]["text"], len(harness.executor.started)) == ("fetched by a task", 1)


@requirement("B-DUAL-13", "A-INP-2", "A-SSE-5")
def test_what_it_asks_there_is_asked_on_the_stream_of_the_call(harness: Harness) -> None:
    old = Client(harness)
    old.initialize({"elicitation": {"form": {}}})
    reply = old.send_request("tools/call", {"name": "deploy", "arguments": {}})
    for answer in (MOON, YES, YES):
        (input_request,) = reply.input_requests
        old.respond(input_request, answer)
        reply = old.resume(reply.last_event_id)

    assert reply.response["result"]["content"][0]["text"] == "plan Moon Accepted Accepted"
    assert len(harness.executor.started) == 1


@requirement("A-TASK-9", "B-TASK-8")
def test_a_task_whose_creation_was_interrupted_repeats_no_step(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = serve_book(harness)
    old = Client(harness)
    old.initialize({"extensions": {"io.modelcontextprotocol/tasks": {}}})
    with interrupted(harness, monkeypatch):
        assert old.send_request("tools/call", {"name": "book", "arguments": {}}).error["code"] == -32603
    (task,) = harness.ports.tasks.page(ADA.owner_key, before=None, limit=9)
    harness.run(task.id)

    assert (old.result("tasks/result", taskId=task.id)["content"][0]["text"], done) == ("booked", ["booked"])
