"""Tools with `starts_inline`: input by MRTR, then a task, then input requests of the task."""

from typing import Any

import pytest

from mcp_tasks import Context, Elicit, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.input_responses import DECLINE, MOON, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ANSWERS, KNOWS_TASKS, Client
from tests.protocol.rev_2026_07_28.responses import text
from tests.protocol.rev_2026_07_28.task_input import open_requests, result_text, update
from tests.protocol.task_input_tools import Consent, Title

SHOES = {"what": "shoes"}
ORDER: dict[str, Any] = {"name": "order", "arguments": SHOES}


def input_required(ada: Client) -> Any:
    """Return the first result of a call that becomes a task: its input requests."""
    pending = ada.call("order", **SHOES)
    assert pending["resultType"] == "input_required"
    return pending


@requirement("B-TASK-9", "B-MRTR-1", "B-TASK-6")
def test_an_input_request_then_the_task_then_an_input_request_of_the_task(harness: Harness, ada: Client) -> None:
    consent = input_required(ada)
    before = dict(harness.executor.started)
    created = ada.retry(consent, "order", SHOES, consent=YES)
    harness.run(created["taskId"])
    input_requests = open_requests(ada, created["taskId"])
    update(ada, created["taskId"], title=MOON)

    assert (before, list(consent["inputRequests"]), created["resultType"]) == ({}, ["consent"], "task")
    assert (list(input_requests), result_text(ada, created["taskId"])) == (["title"], "a draft of shoes for Moon")


@requirement("B-MRTR-7", "B-TASK-9")
def test_a_round_trip_that_comes_again_because_its_answer_was_lost_makes_no_second_task(
    harness: Harness, ada: Client
) -> None:
    consent = input_required(ada)

    first, again = (ada.retry(consent, "order", SHOES, consent=YES) for _ in range(2))
    other = ada.retry(input_required(ada), "order", SHOES, consent=YES)

    assert first["taskId"] == again["taskId"] != other["taskId"]
    assert len(harness.executor.started) == 2


@requirement("B-TASK-9", "B-MRTR-7")
def test_what_was_done_before_the_task_is_not_done_again_in_it(harness: Harness, ada: Client) -> None:
    done: list[str] = []

    @tool(starts_inline=True)
    def travel(context: Context) -> str:
        """Do something before each input request."""
        context.step("pack", lambda: done.append("pack"))
        context.elicit("Ready?", Consent, key="ready")
        context.continue_as_task()
        context.step("go", lambda: done.append("go"))
        return type(context.elicit("There?", Consent, key="there")).__name__

    harness.change(features=Features.of([travel]))
    created = ada.retry(ada.call("travel"), "travel", ready=YES)
    before = list(done)
    harness.run(created["taskId"])
    update(ada, created["taskId"], there=DECLINE)

    assert (result_text(ada, created["taskId"]), before, done) == ("Declined", ["pack"], ["pack", "go"])


@requirement("B-TASK-9", "B-TASK-2", "B-MRTR-1")
def test_who_knows_no_tasks_is_asked_in_round_trips_from_beginning_to_end(harness: Harness) -> None:
    bo = Client(harness, capabilities=ANSWERS)

    consent = input_required(bo)
    title = bo.retry(consent, "order", SHOES, consent=YES)
    result = bo.retry(title, "order", SHOES, title=MOON)

    assert ([*consent["inputRequests"], *title["inputRequests"]], text(result)) == (
        ["consent", "title"],
        "a draft of shoes for Moon",
    )
    assert len(harness.executor.started) == 1


@requirement("B-TASK-9", "B-ELI-2")
@pytest.mark.parametrize("answer", [DECLINE, {"action": "cancel"}, accept(ok=False)])
def test_a_no_is_an_answer_too(harness: Harness, ada: Client, answer: Any) -> None:
    created = ada.retry(input_required(ada), "order", SHOES, consent=answer)
    harness.run(created["taskId"])

    assert result_text(ada, created["taskId"]).startswith("no a draft of shoes")


@requirement("B-TASK-9", "B-MRTR-8")
def test_where_the_answer_is_all_there_is_to_know_no_state_need_come_back(harness: Harness, ada: Client) -> None:
    created = ada.result("tools/call", **ORDER, inputResponses={"consent": YES})
    harness.run(created["taskId"])

    assert (created["resultType"], list(open_requests(ada, created["taskId"]))) == ("task", ["title"])


@requirement("B-TASK-9", "B-MRTR-8")
def test_of_several_input_requests_those_without_an_answer_are_asked_again(harness: Harness, ada: Client) -> None:
    @tool(starts_inline=True)
    def pair(context: Context) -> str:
        """Ask two things at once."""
        one, other = context.gather(Elicit("One?", Consent, key="one"), Elicit("Other?", Title, key="other"))
        context.continue_as_task()
        return f"{one.value.ok} {other.value.title}"

    harness.change(features=Features.of([pair]))
    both = ada.call("pair")
    other = ada.retry(both, "pair", one=YES)
    created = ada.retry(other, "pair", other=MOON)
    harness.run(created["taskId"])

    assert [list(each["inputRequests"]) for each in (both, other)] == [["one", "other"], ["other"]]
    assert result_text(ada, created["taskId"]) == "True Moon"


@requirement("B-TASK-9", "B-TASK-23")
def test_no_input_request_of_the_task_has_the_key_of_the_one_before_it(harness: Harness, ada: Client) -> None:
    @tool(starts_inline=True)
    def nag(context: Context) -> str:
        """Ask the same twice, without a key."""
        said = type(context.elicit("Now?", Consent)).__name__
        context.continue_as_task()
        return f"{said}, {type(context.elicit('Now?', Consent)).__name__}"

    harness.change(features=Features.of([nag]))
    first = ada.call("nag")
    (key,) = first["inputRequests"]
    created = ada.retry(first, "nag", **{key: YES})
    harness.run(created["taskId"])
    update(ada, created["taskId"], **{key: DECLINE})
    (other,) = open_requests(ada, created["taskId"])
    update(ada, created["taskId"], **{other: DECLINE})

    assert (key != other, result_text(ada, created["taskId"])) == (True, "Accepted, Declined")


@requirement("B-TASK-9", "B-TASK-3")
def test_what_returns_before_it_goes_on_as_a_task_is_done_without_one(harness: Harness, ada: Client) -> None:
    @tool(starts_inline=True)
    def shrug() -> str:
        """Decide that this call needs no task."""
        return "whatever"

    harness.change(features=Features.of([shrug]))

    assert (text(ada.call("shrug")), harness.executor.started) == ("whatever", {})


@requirement("B-META-5", "B-MRTR-4", "B-TASK-9")
def test_a_client_that_cannot_be_asked_gets_an_error_before_there_is_a_task(harness: Harness) -> None:
    reply = Client(harness, capabilities=KNOWS_TASKS).send_request("tools/call", ORDER)

    assert (reply.status, reply.error["code"], harness.executor.started) == (400, -32021, {})
    assert reply.error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


@requirement("B-MRTR-8", "B-ELI-2", "B-TASK-9")
@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (accept(ok="yes"), "ok should be true or false"),
        (accept(), "ok is missing"),
        ({"action": "agree"}, "action"),
        ({}, "action"),
        (7, "object"),
    ],
)
def test_a_wrong_answer_makes_no_task_and_can_be_put_right(
    harness: Harness, ada: Client, answer: Any, complaint: str
) -> None:
    consent = input_required(ada)
    call = ORDER | {"requestState": consent["requestState"]}
    before = harness.kept()

    error = ada.error("tools/call", **call, inputResponses={"consent": answer})

    assert (error["code"], complaint in error["message"], harness.kept()) == (-32602, True, before)
    assert ada.retry(consent, "order", SHOES, consent=YES)["resultType"] == "task"


@requirement("B-MRTR-6", "B-MRTR-7", "B-TASK-9")
@pytest.mark.parametrize("thief", [BOB, EVE])
def test_the_state_is_for_its_caller_only(harness: Harness, ada: Client, thief: Caller) -> None:
    state = input_required(ada)["requestState"]
    stranger = Client(harness, thief)
    answers = {"inputResponses": {"consent": YES}}
    before = harness.kept()

    stolen, forged = (
        stranger.send_request("tools/call", ORDER | answers | {"requestState": each}, id=1)
        for each in (state, "forged")
    )

    assert (stolen.status, stolen.body, harness.kept()) == (forged.status, forged.body, before)
    assert stolen.error["code"] == -32602


@requirement("B-MRTR-6", "B-MRTR-7", "B-TASK-9")
def test_every_letter_of_it_counts_and_so_do_the_arguments(harness: Harness, ada: Client) -> None:
    state = input_required(ada)["requestState"]
    forged = [state[:at] + ("A" if state[at] != "A" else "B") + state[at + 1 :] for at in range(0, len(state), 3)]
    calls = [*(ORDER | {"requestState": each} for each in forged), ORDER | {"arguments": {"what": "boots"}}]
    answers = {"requestState": state, "inputResponses": {"consent": YES}}
    before = harness.kept()

    codes = {ada.error("tools/call", **answers | call)["code"] for call in calls}

    assert (codes, harness.kept()) == ({-32602}, before)


@requirement("B-TASK-9", "B-ERR-10")
def test_what_cannot_become_a_task_is_rejected_after_the_answer(harness: Harness, ada: Client) -> None:
    consent = input_required(ada)
    for _ in range(20):
        ada.start()

    error = ada.error("tools/call", **ORDER, requestState=consent["requestState"], inputResponses={"consent": YES})

    assert (error["code"], error["data"]["reason"]) == (-31050, "too_many_tasks")


@requirement("B-TASK-9", "B-BASE-6")
def test_any_instance_goes_on_with_it(harness: Harness, ada: Client) -> None:
    consent = input_required(ada)
    harness.restart()
    task_id = ada.retry(consent, "order", SHOES, consent=YES)["taskId"]
    harness.restart()
    harness.run(task_id)

    assert list(open_requests(ada, task_id)) == ["title"]
