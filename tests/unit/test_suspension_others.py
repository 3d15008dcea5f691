"""Input requests for others: when the task's own caller may answer one, and what is kept of its decision."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks import after, anyone, anyone_but_me, role, subject
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.suspension import InputRequestsTooLarge, check_size
from mcp_tasks.limits.tools import MAX_APPROVALS, MAX_INPUT_REQUESTS_CHARACTERS
from mcp_tasks.tasks.approvals import Approval, Audience, Decision
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.inbox import items_of
from mcp_tasks.tasks.model import InputRequest, InputResponse, State, Task
from tests.kit import ADA, BOB
from tests.unit.jobs import BLUE, COLOUR, ERROR_RESPONSE, RED, SIZE
from tests.unit.one_task import suspended

COLOUR_DIGEST = "18d1e6b916da7f50a8c4ef45752c007756979c402cd61e353f983c2fd4b88e27"
"""Of the elicitation, by sha256sum."""
AGENT = replace(ADA, actor={"sub": "assistant"})


def asked_of(audience: Audience, quorum: int = 1) -> InputRequest:
    return replace(COLOUR, key="refund", approval=Approval(audience=audience, shown="# Why", quorum=quorum))


OF_ANYONE = asked_of(anyone())
OF_OTHERS = asked_of(anyone_but_me())


def test_what_anyone_may_answer_its_own_caller_may_and_the_decision_is_kept() -> None:
    made = suspended(OF_ANYONE)

    task = made.answer(AGENT, refund=RED)

    decided = Decision(
        subject="ada", at=made.clock.now(), action="accept", channel="client", digest=COLOUR_DIGEST, actor=AGENT.actor
    )
    assert task.state is State.WORKING
    assert made.response("refund") == replace(RED, decisions=(decided,))


def test_what_two_audiences_may_answer_its_own_caller_decides_once() -> None:
    approval = Approval(audience=anyone(), escalate=after(timedelta(minutes=1), role("finance")))
    made = suspended(replace(COLOUR, approval=approval))
    assert len([*items_of(ADA.owner_key, made.current())]) == 2

    made.answer(colour=RED)

    response = made.response("colour")
    assert response is not None
    assert len(response.decisions) == 1


@pytest.mark.parametrize(
    ("input_request", "reason"),
    [
        (OF_OTHERS, "own_approval"),
        (asked_of(subject("ada").but_me()), "own_approval"),
        (asked_of(role("finance")), "unknown_approval"),
        (asked_of(anyone(), quorum=2), "unknown_approval"),
    ],
)
def test_what_is_not_for_its_own_caller_to_answer_stays_open(input_request: InputRequest, reason: str) -> None:
    made = suspended(input_request)
    before = made.current()

    with noting() as noted, pytest.raises(BadInputResponse) as bad:
        made.answer(refund=RED)

    assert (bad.value.key, bad.value.reason) == ("refund", "it is not for this caller to answer")
    assert noted == {"reason": reason}
    assert made.current() == before


def test_one_whose_client_failed_has_decided_nothing() -> None:
    made = suspended(OF_ANYONE)

    made.answer(refund=ERROR_RESPONSE)

    assert made.response("refund") == ERROR_RESPONSE


def test_of_several_that_are_open_each_answer_is_taken_for_what_it_answers() -> None:
    made = suspended(COLOUR, OF_ANYONE, SIZE)

    made.answer(refund=RED, size=BLUE)

    response = made.response("refund")
    assert response is not None
    assert [each.action for each in response.decisions] == ["accept"]
    assert made.response("size") == BLUE
    assert made.current().open_input_requests == (COLOUR,)


def test_whether_a_caller_may_answer_is_asked_of_the_task_as_it_is() -> None:
    made = suspended(COLOUR)

    def permit(task: Task) -> None:
        raise PermissionError(task.id)

    with pytest.raises(PermissionError, match=made.task.id):
        made.suspension.answer(ADA, made.task.id, {"colour": RED}, permit=permit)
    assert made.current().state is State.INPUT_REQUIRED


def test_to_give_up_one_input_request_leaves_the_others_and_those_for_others() -> None:
    made = suspended(COLOUR, SIZE, OF_ANYONE)

    for key in ("colour", "refund"):
        made.suspension.give_up(ADA, made.task.id, key)

    assert made.current().open_input_requests == (SIZE, OF_ANYONE)
    assert made.response("colour") == InputResponse()


def test_a_stranger_finds_no_task_to_answer() -> None:
    made = suspended(OF_ANYONE)

    with pytest.raises(TaskNotFound):
        made.answer(BOB, refund=RED)


# --- how much may be asked of others


def test_others_are_asked_no_more_at_once_than_one_write_can_keep() -> None:
    escalating = Approval(audience=role("finance"), escalate=after(timedelta(hours=1), anyone()))
    of_two = replace(COLOUR, approval=escalating)
    most = [of_two] * (MAX_APPROVALS // 2)

    check_size([*most, COLOUR])
    with pytest.raises(InputRequestsTooLarge, match="it asks others 11 things at once, of which one that escalates"):
        check_size([*most, OF_OTHERS])


def test_what_others_are_shown_counts_as_what_they_are_asked() -> None:
    def showing(characters: int) -> InputRequest:
        approval = Approval(audience=anyone(), shown="x" * characters)
        return replace(COLOUR, params={"message": "x" * (MAX_INPUT_REQUESTS_CHARACTERS - 1_027)}, approval=approval)

    check_size([showing(998)])
    with pytest.raises(InputRequestsTooLarge, match="it makes input requests of 100,001 characters; 100,000 is the"):
        check_size([showing(999)])
