"""Long work for clients without tasks: it requests input by MRTR, and continues where it was."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE, NOON
from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, DECLINE, HOME, MOON, SAMPLED, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ABLE, ANSWERS, CAPABILITIES, Client
from tests.protocol.rev_2026_07_28.responses import text
from tests.protocol.rev_2026_07_28.task_input import open_requests, status, update
from tests.protocol.task_input_tools import Consent

TIDES = {"topic": "tides"}
PUBLISH: dict[str, Any] = {"name": "publish", "arguments": TIDES}


@pytest.fixture
def bo(harness: Harness) -> Client:
    """A client with all capabilities but tasks."""
    return Client(harness, capabilities=ANSWERS)


@requirement("B-MRTR-1", "B-MRTR-3", "B-TASK-2", "B-RT-1")
def test_the_input_requests_of_a_task_are_asked_in_round_trips(harness: Harness, bo: Client) -> None:
    title = bo.call("publish", **TIDES)
    consent = bo.retry(title, "publish", TIDES, title=MOON)
    result = bo.retry(consent, "publish", TIDES, consent=YES)

    assert [each["resultType"] for each in (title, consent)] == ["input_required"] * 2
    assert [list(each["inputRequests"]) for each in (title, consent)] == [["title"], ["consent"]]
    assert text(result) == "Moon, of a draft of tides: Accepted"
    assert len(harness.executor.started) == 1


@requirement("B-MRTR-7", "B-MRTR-9", "B-TASK-2")
def test_what_was_done_is_not_done_again(harness: Harness, bo: Client) -> None:
    done: list[str] = []

    @tool()
    def travel(context: Context) -> str:
        """Do something before each input request."""
        context.step("pack", lambda: done.append("pack"))
        context.elicit("Ready?", Consent, key="ready")
        context.step("go", lambda: done.append("go"))
        return type(context.elicit("There?", Consent, key="there")).__name__

    harness.change(features=Features.of([travel]))
    ready = bo.call("travel")
    there = bo.retry(ready, "travel", ready=YES)

    assert (text(bo.retry(there, "travel", there=DECLINE)), done) == ("Declined", ["pack", "go"])


@requirement("B-MRTR-1", "B-TASK-2")
def test_work_that_takes_a_while_asks_when_it_comes_to_that(harness: Harness, bo: Client) -> None:
    harness.idle = True
    harness.while_waiting(*[lambda: None] * 5, lambda: harness.run(next(iter(harness.executor.started))))

    title = bo.call("publish", **TIDES)

    assert (list(title["inputRequests"]), harness.clock.now() - NOON) == (["title"], timedelta(seconds=6))


@requirement("B-MRTR-8")
def test_what_was_not_answered_is_asked_again_and_what_was_is_not(harness: Harness, bo: Client) -> None:
    first = bo.call("convene")
    second = bo.retry(first, "convene", word=SAMPLED, nobody={})
    third = bo.retry(second, "convene")
    result = bo.retry(third, "convene", title=CONVENED["title"], folders=HOME)

    assert first["inputRequests"].keys() == CONVENED.keys()
    left = {key: first["inputRequests"][key] for key in ("title", "folders")}
    assert second["inputRequests"] == third["inputRequests"] == left
    assert (text(result), len(harness.executor.started)) == ("Moon: Splendid [file:///home]", 1)


@requirement("B-MRTR-8", "B-ELI-2")
@pytest.mark.parametrize("answer", [accept(title=7), {}, {"action": "agree"}])
def test_a_wrong_answer_is_rejected_and_can_be_put_right(harness: Harness, bo: Client, answer: Any) -> None:
    title = bo.call("publish", **TIDES)
    before = harness.kept()

    error = bo.error("tools/call", **PUBLISH, requestState=title["requestState"], inputResponses={"title": answer})

    assert (error["code"], "'title'" in error["message"], harness.kept()) == (-32602, True, before)
    assert list(bo.retry(title, "publish", TIDES, title=MOON)["inputRequests"]) == ["consent"]


@requirement("B-MRTR-7", "B-HTTP-11")
def test_a_round_trip_that_was_lost_can_be_repeated(harness: Harness, bo: Client) -> None:
    title = bo.call("publish", **TIDES)
    lost, again = (bo.retry(title, "publish", TIDES, title=accept(title=each)) for each in ("Moon", "Sun"))
    results = [bo.retry(each, "publish", TIDES, consent=YES) for each in (lost, again)]

    assert lost["inputRequests"] == again["inputRequests"]
    assert [text(each) for each in results] == ["Moon, of a draft of tides: Accepted"] * 2
    assert len(harness.executor.started) == 1


@requirement("B-MRTR-6", "B-MRTR-7", "B-TASK-11")
@pytest.mark.parametrize("thief", [BOB, EVE])
def test_its_state_is_for_its_caller_only(harness: Harness, bo: Client, thief: Caller) -> None:
    title = bo.call("publish", **TIDES)
    stranger = Client(harness, thief, capabilities=ANSWERS)
    answers = {"inputResponses": {"title": MOON}}
    before = harness.kept()

    stolen, forged = (
        stranger.send_request("tools/call", PUBLISH | answers | {"requestState": each}, id=1)
        for each in (title["requestState"], "forged")
    )

    assert (stolen.status, stolen.body, harness.kept()) == (forged.status, forged.body, before)
    assert stolen.error["code"] == -32602


@requirement("B-MRTR-6", "B-MRTR-7")
@pytest.mark.parametrize(
    "changes",
    [
        {"arguments": {"topic": "moons"}},
        {"name": "convene", "arguments": {}},
        {"name": "introduce", "arguments": {}},
        {"requestState": "forged"},
        {"requestState": 7},
    ],
)
def test_it_is_for_its_call_only(harness: Harness, bo: Client, changes: dict[str, Any]) -> None:
    state = bo.call("publish", **TIDES)["requestState"]
    before = harness.kept()

    error = bo.error("tools/call", **PUBLISH | {"requestState": state, "inputResponses": {"title": MOON}} | changes)

    assert (error["code"], "requestState" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-MRTR-6", "B-MRTR-7")
def test_every_letter_of_it_counts(harness: Harness, bo: Client) -> None:
    state = bo.call("publish", **TIDES)["requestState"]
    before = harness.kept()

    for at in range(0, len(state), 3):
        changed = state[:at] + ("A" if state[at] != "A" else "B") + state[at + 1 :]
        assert bo.error("tools/call", **PUBLISH, requestState=changed)["code"] == -32602

    assert harness.kept() == before


@requirement("B-MRTR-7", "B-MRTR-9", "B-TASK-18")
def test_it_is_good_for_an_hour_and_the_task_goes_on_without(harness: Harness, bo: Client, ada: Client) -> None:
    title = bo.call("publish", **TIDES)
    (task_id,) = harness.executor.started
    harness.clock.advance(timedelta(hours=1))

    error = bo.error("tools/call", **PUBLISH, requestState=title["requestState"], inputResponses={"title": MOON})

    assert (error["code"], "too old" in error["message"]) == (-32602, True)
    assert list(open_requests(ada, task_id)) == ["title"]


@requirement("B-MRTR-8", "B-TASK-18")
def test_a_round_trip_whose_task_is_gone_says_so(harness: Harness, bo: Client) -> None:
    @tool(ttl=timedelta(minutes=50), timeout=timedelta(minutes=10))
    def blink(context: Context) -> str:
        """Ask, with a short ttl."""
        return type(context.elicit("Ready?", Consent, key="ready")).__name__

    harness.change(features=Features.of([blink]))
    ready = bo.call("blink")
    harness.clock.advance(timedelta(minutes=50))

    error = bo.error("tools/call", name="blink", arguments={}, requestState=ready["requestState"])

    assert (error["code"], "There is no task" in error["message"]) == (-32602, True)


@requirement("B-MRTR-9", "B-TASK-25", "B-TOOL-8")
def test_who_does_not_come_again_leaves_a_task_that_can_be_answered_or_cancelled(
    harness: Harness, bo: Client, ada: Client
) -> None:
    title = bo.call("publish", **TIDES)
    (task_id,) = harness.executor.started
    update(ada, task_id, title=MOON)
    assert list(bo.retry(title, "publish", TIDES)["inputRequests"]) == ["consent"]

    assert bo.call("task_cancel", task_id=task_id)["isError"] is False
    late = bo.retry(title, "publish", TIDES, title=MOON)

    assert (status(ada, task_id), late["isError"], "cancelled" in text(late)) == ("cancelled", True, True)


@requirement("B-TASK-2", "B-MRTR-1")
def test_work_that_takes_long_after_a_response_becomes_a_task_whose_input_requests_task_result_returns(
    harness: Harness, bo: Client
) -> None:
    harness.idle = True
    harness.while_waiting(lambda: harness.run(next(iter(harness.executor.started))))
    title = bo.call("publish", **TIDES)
    handle = bo.retry(title, "publish", TIDES, title=MOON)["structuredContent"]
    arguments = {"task_id": handle["task_id"]}
    harness.run(handle["task_id"])

    consent = bo.call("task_result", **arguments)
    harness.idle = False
    result = bo.retry(consent, "task_result", arguments, consent=YES)

    assert (handle["status"], list(consent["inputRequests"])) == ("working", ["consent"])
    assert (text(result), len(harness.executor.started)) == ("Moon, of a draft of tides: Accepted", 1)


@requirement("B-TASK-20", "B-MRTR-4", "B-BASE-5")
def test_a_round_trip_that_declares_less_is_given_the_task_handle_instead_of_an_input_request(
    harness: Harness, bo: Client
) -> None:
    title = bo.call("publish", **TIDES)
    (task_id,) = harness.executor.started
    call = PUBLISH | {"requestState": title["requestState"]}

    reply = bo.send_request("tools/call", call, meta={CAPABILITIES: {"roots": {}}})

    sent = reply.message["result"]["structuredContent"]
    assert (sent["task_id"], sent["status"]) == (task_id, "input_required")
    assert list(bo.retry(title, "publish", TIDES)["inputRequests"]) == ["title"]


@requirement("B-TASK-20", "B-MRTR-4", "B-BASE-5")
def test_of_several_input_requests_a_round_trip_is_asked_those_that_it_can_answer(bo: Client) -> None:
    call = {"name": "convene", "arguments": {}, "requestState": bo.call("convene")["requestState"]}

    reply = bo.send_request("tools/call", call, meta={CAPABILITIES: {"roots": {}, "sampling": {}}})

    assert list(reply.message["result"]["inputRequests"]) == ["word", "folders"]


@requirement("B-TASK-2", "B-BASE-5")
def test_a_round_trip_that_declares_tasks_goes_on_as_it_began(harness: Harness, bo: Client) -> None:
    title = bo.call("publish", **TIDES)
    call = PUBLISH | {"requestState": title["requestState"], "inputResponses": {"title": DECLINE}}

    with harness.at_work():
        result = bo.send_request("tools/call", call, meta={CAPABILITIES: ABLE}).message["result"]

    assert (result["resultType"], "in the drawer" in text(result)) == ("complete", True)
    assert len(harness.executor.started) == 1


@requirement("B-MRTR-4", "B-TASK-20", "B-TOOL-5")
def test_a_client_that_cannot_be_asked_gets_what_the_tool_returns_without_it(harness: Harness, plain: Client) -> None:
    failed, silent = plain.call("publish", **TIDES), plain.call("muse")

    assert (failed["isError"], "needs the client capability elicitation.form," in text(failed)) == (True, True)
    assert text(silent) == "silence, for want of sampling"
