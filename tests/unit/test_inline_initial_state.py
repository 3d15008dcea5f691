"""What a call has done when it becomes a task, which goes on from there; and what only a task can do."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks import anyone
from mcp_tasks.authoring.control_signals import BadInputResponse, ContinueAsTask
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.limits.waits import LONGEST_INLINE_BACKOFF
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.model import JSON, InputResponse, Progress
from tests.unit.jobs import COLOUR, FOLDERS, RED, ROOTS, SIZE

FOR_OTHERS = replace(COLOUR, approval=Approval(audience=anyone()))
MOMENT = timedelta(microseconds=1)


def journal(*, may_become_task: bool, **responses: InputResponse) -> InlineJournal:
    """Return the journal of a call whose client sent these responses, by key, to what it was asked before."""
    results: dict[str, Mapping[str, JSON]] = {key: each.result or {} for key, each in responses.items()}
    log = ReplayLog(requested=[*responses], responses=results)
    return InlineJournal(progress_token="p", replay_log=log, may_become_task=may_become_task)


def test_a_task_goes_on_from_all_that_its_call_did() -> None:
    made = journal(may_become_task=True, roots=FOLDERS)
    made.progressed(Progress(progress=1))
    made.status_reported("drawing")
    made.step("draw", lambda: 7)
    assert made.request_input([ROOTS]) == [FOLDERS]

    assert made.initial_state([SIZE]) == InitialState(
        requested=("roots",),
        input_requests=(SIZE,),
        steps={"draw": 7},
        responses={"roots": FOLDERS},
        progress=Progress(progress=1),
        status_message="drawing",
    )


def test_a_response_to_what_this_run_did_not_come_to_is_not_the_tasks() -> None:
    assert journal(may_become_task=True, roots=FOLDERS).initial_state() == InitialState()


@pytest.mark.parametrize("may_become_task", [True, False])
def test_the_path_of_a_call_is_decided_for_each_change_by_its_name(may_become_task: bool) -> None:
    made = journal(may_become_task=may_become_task)
    assert made.patched("first")
    made.step("charge", lambda: 1)

    again = InlineJournal(replay_log=ReplayLog(steps=dict(made.replay_log.steps)))
    assert [again.patched(name) for name in ("first", "second")] == [True, False]


# --- what only a task can do

WAITS: dict[str, Callable[[InlineJournal], object]] = {
    "only a task can sleep": lambda made: made.sleep(timedelta(hours=1), lambda run: run()),
    "only a task can wait for others": lambda made: made.request_input([FOR_OTHERS]),
    "only a task has credentials of its tenant": lambda made: made.tenant_credentials(),
}


@pytest.mark.parametrize("says", WAITS)
def test_what_only_a_task_can_do_makes_a_call_one_or_says_why_it_cannot(says: str) -> None:
    with pytest.raises(ContinueAsTask):
        WAITS[says](journal(may_become_task=True))

    why = rf"^{says}, and this call cannot become one: the tool needs tasks='allowed'$"
    with pytest.raises(RuntimeError, match=why):
        WAITS[says](journal(may_become_task=False))


def test_a_call_retries_for_as_long_as_a_request_may_wait_and_not_longer() -> None:
    paused: list[timedelta] = []
    made = InlineJournal(pause=paused.append)

    assert made.wait_to_retry("draw", LONGEST_INLINE_BACKOFF)
    assert not made.wait_to_retry("draw", MOMENT)
    assert paused == [LONGEST_INLINE_BACKOFF]


# --- what does not fit is asked again while it can be

WRONG = InputResponse(result={"action": "accept", "content": {"value": "green"}})


def test_a_call_that_may_become_a_task_checks_all_that_it_was_told() -> None:
    with pytest.raises(BadInputResponse):
        journal(may_become_task=True, colour=WRONG).request_input([COLOUR])


def test_a_call_that_is_never_a_task_checks_it_while_something_is_missing() -> None:
    with pytest.raises(BadInputResponse):
        journal(may_become_task=False, colour=WRONG).request_input([COLOUR, SIZE])
    assert journal(may_become_task=False, colour=WRONG).request_input([COLOUR]) == [WRONG]
    assert journal(may_become_task=False, colour=RED).request_input([COLOUR]) == [RED]
