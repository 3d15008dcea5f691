"""The server decides for each call: a result, a task, or a task that is final when it is created."""

from datetime import timedelta

import pytest

from mcp_tasks import Context, McpError, MissingCapability, tool
from mcp_tasks.features.listing import Features
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.inline_tools import TOOLS, interrupted, serve_book
from tests.protocol.input_responses import MOON, YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import KNOWS_TASKS, Client
from tests.protocol.rev_2026_07_28.responses import text
from tests.protocol.rev_2026_07_28.task_input import open_requests, result_text, update
from tests.protocol.task_input_tools import Consent, Title


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(TOOLS))


def work(harness: Harness) -> None:
    """Run the tasks that were started, while a client waits."""

    def run() -> None:
        for task_id in harness.executor.started:
            harness.run(task_id)

    harness.while_waiting(run)


@requirement("B-TASK-3", "B-TASK-6")
def test_a_result_that_is_there_in_a_moment_is_the_answer_and_later_the_handle_is(
    harness: Harness, ada: Client
) -> None:
    @tool(handle_after=timedelta(milliseconds=100))
    def count(to: int) -> str:
        """Count."""
        return f"counted to {to}"

    harness.change(features=Features.of([count]))
    late = ada.call("count", to=2)
    before = harness.clock.now()
    work(harness)
    quick = ada.call("count", to=3)

    assert (late["resultType"], late["status"], text(quick)) == ("task", "working", "counted to 3")
    assert harness.clock.now() - before == timedelta(milliseconds=100)


@requirement("B-TASK-3", "B-TASK-15")
def test_an_error_that_is_there_in_a_moment_is_the_answer_too(harness: Harness, ada: Client) -> None:
    @tool()
    def refuse() -> str:
        """Refuse."""
        raise McpError(1969, "The moon is closed.")

    harness.change(features=Features.of([refuse]))
    work(harness)

    assert ada.error("tools/call", name="refuse", arguments={}) == {"code": 1969, "message": "The moon is closed."}


@requirement("B-TASK-3", "B-TASK-7")
def test_a_tool_that_is_always_a_task_is_never_waited_for(harness: Harness, ada: Client) -> None:
    work(harness)
    before = harness.clock.now()
    created = ada.call("always", known=False)

    assert (created["resultType"], created["status"], created["statusMessage"]) == ("task", "working", "fetching")
    assert harness.clock.now() == before


@requirement("B-TASK-3")
def test_a_tool_decides_by_call_whether_it_is_a_task(harness: Harness, ada: Client) -> None:
    assert (text(ada.call("fetch", known=True)), harness.executor.started) == ("known", {})

    created = ada.call("fetch", known=False)
    harness.run(created["taskId"])

    assert (created["resultType"], result_text(ada, created["taskId"])) == ("task", "fetched by a task")


@requirement("B-TASK-7", "B-TASK-8", "B-TASK-13", "B-TASK-15", "B-TASK-16")
def test_a_tool_that_is_always_a_task_may_create_a_final_one(harness: Harness, ada: Client) -> None:
    created = ada.call("always", known=True)
    polled = ada.tasks_get(created["taskId"])

    assert (created["resultType"], created["status"], polled["status"]) == ("task", "completed", "completed")
    assert created.keys().isdisjoint({"result", "error", "inputRequests", "requestState"})
    assert (text(polled["result"]), harness.executor.started) == ("known", {})


@requirement("B-TASK-14", "B-TASK-16")
@pytest.mark.parametrize(("how", "status"), [("error", "failed"), ("complaint", "completed")])
def test_a_failure_may_be_a_task_that_is_created_final(harness: Harness, ada: Client, how: str, status: str) -> None:
    created = ada.call("fall", how=how)
    polled = ada.tasks_get(created["taskId"])

    assert (created["status"], polled["status"], harness.executor.started) == (status, status, {})
    assert polled.get("error", {}).get("code") == (1969 if how == "error" else None)
    assert polled.get("result", {}).get("isError") == (None if how == "error" else True)


@requirement("B-TASK-28", "B-PROG-1")
@pytest.mark.parametrize("name", ["fetch", "always"])
def test_progress_before_the_task_is_not_sent_for_the_task(harness: Harness, ada: Client, name: str) -> None:
    reply = ada.send_request("tools/call", {"name": name, "arguments": {"known": False}}, meta={"progressToken": "p-1"})

    assert reply.messages == [reply.message]
    assert reply.message["result"]["statusMessage"] == "fetching"


@requirement("B-TASK-9", "B-MRTR-1", "B-MRTR-9", "B-TASK-23")
def test_input_requests_that_hang_on_each_other_come_before_the_task_and_store_nothing(
    harness: Harness, ada: Client
) -> None:
    before = harness.kept()
    title = ada.call("deploy")
    sure = ada.retry(title, "deploy", title=MOON)
    between = harness.kept()
    created = ada.retry(sure, "deploy", sure=YES)
    harness.run(created["taskId"])
    still = open_requests(ada, created["taskId"])
    update(ada, created["taskId"], still=YES)

    assert [list(each["inputRequests"]) for each in (title, sure)] == [["title"], ["sure"]]
    assert sure["inputRequests"]["sure"]["params"]["message"] == "Really Moon?"
    assert (before == between, list(still)) == (True, ["still"])
    assert result_text(ada, created["taskId"]) == "plan Moon Accepted Accepted"


@requirement("B-TASK-21", "B-TASK-22", "B-MRTR-8", "B-TASK-7")
def test_the_round_trips_and_the_task_know_nothing_of_each_others_keys_and_state(harness: Harness, ada: Client) -> None:
    sure = ada.retry(ada.call("deploy"), "deploy", title=MOON)
    created = ada.retry(sure, "deploy", sure=YES)
    harness.run(created["taskId"])
    waiting = ada.tasks_get(created["taskId"])
    update(ada, created["taskId"], sure={"action": "decline"}, title=MOON)
    state = {"requestState": sure["requestState"]}

    assert {"requestState", "inputResponses"}.isdisjoint(created.keys() | waiting.keys())
    assert ada.tasks_get(created["taskId"]) == waiting
    assert ada.result("tasks/get", taskId=created["taskId"], **state) == waiting


@requirement("B-META-5", "B-TASK-4", "B-TASK-9")
def test_who_cannot_be_asked_is_rejected_or_served_without_as_the_tool_decides(harness: Harness) -> None:
    @tool(starts_inline=True)
    def adapt(context: Context) -> str:
        """Ask, or do without."""
        try:
            context.elicit("Which one?", Title, key="title")
        except MissingCapability:
            return "without"
        return "with"

    mute = Client(harness, capabilities=KNOWS_TASKS)
    rejected = mute.send_request("tools/call", {"name": "deploy", "arguments": {}})
    harness.change(features=Features.of([adapt]))

    assert (rejected.status, rejected.error["code"]) == (400, -32021)
    assert (text(mute.call("adapt")), harness.executor.started) == ("without", {})


@requirement("B-MRTR-7", "B-TASK-16", "B-TASK-8")
def test_a_round_trip_that_comes_again_and_now_needs_no_task_leaves_the_one_there_is_alone(
    harness: Harness, ada: Client
) -> None:
    @tool(tasks="always", starts_inline=True)
    def ship(context: Context) -> str:
        """Ship, if the user agrees."""
        if type(context.elicit("Really?", Consent, key="sure")).__name__ != "Accepted":
            return "kept"
        context.continue_as_task()
        return "shipped"

    harness.change(features=Features.of([ship]))
    pending = ada.call("ship")
    shipped = ada.retry(pending, "ship", sure=YES)
    again = ada.retry(pending, "ship", sure={"action": "decline"})
    before = ada.tasks_get(shipped["taskId"])["status"]
    harness.run(shipped["taskId"])

    assert (again["taskId"], again["status"], before) == (shipped["taskId"], "working", "working")
    assert result_text(ada, shipped["taskId"]) == "shipped"


@requirement("B-TASK-8", "B-MRTR-7")
def test_a_task_whose_creation_was_interrupted_repeats_no_step_of_its_inline_run(
    harness: Harness, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = serve_book(harness)
    with interrupted(harness, monkeypatch):
        assert ada.send_request("tools/call", {"name": "book", "arguments": {}}).error["code"] == -32603
    (task,) = harness.ports.tasks.page(ADA.owner_key, before=None, limit=9)
    harness.run(task.id)

    assert (result_text(ada, task.id), done) == ("booked", ["booked"])
