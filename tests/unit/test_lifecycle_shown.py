"""What a caller is shown of a task that asks others, what of a call is noted, and what of it a task keeps."""

from dataclasses import replace
from datetime import timedelta

from mcp_tasks import anyone, role
from mcp_tasks.engine.current_call import note_trace, noting
from mcp_tasks.engine.lifecycle import InitialState, TaskService, new_task_id
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.model import Holding, InputRequest, Progress, State, Task
from mcp_tasks.tasks.transitions import prompt
from tests.kit import ADA, NOON, BusyWaiter, FixedClock
from tests.unit.jobs import COLOUR, DONE, MINUTE, SIZE, job, service

FOR_OTHERS = replace(COLOUR, key="refund", approval=Approval(audience=role("finance")))
FOR_ANYONE = replace(COLOUR, key="lunch", approval=Approval(audience=anyone()))
WAITS = "Waits for an answer of role finance."


def asking(tasks: TaskService, task: Task, *input_requests: InputRequest) -> None:
    suspension = Suspension(tasks=tasks)
    suspension.request_input(ADA.owner_key, task.id, input_requests or [FOR_OTHERS])
    suspension.suspend(ADA.owner_key, task.id, "token")


def test_a_task_that_asks_others_alone_works_as_far_as_its_caller_is_shown_wherever_it_is_read() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    asking(tasks, task)

    (updated,) = tasks.updates(ADA, {task.id: 0}, timeout=MINUTE)
    ((listed,), _) = tasks.page(ADA, before=None, limit=1)
    waited = tasks.wait(ADA, task.id, timeout=timedelta())
    for shown in (tasks.get(ADA, task.id), updated, listed, waited):
        assert (shown.state, shown.status_message, shown.input_requests) == (State.WORKING, WAITS, ())
    assert tasks.read(ADA.owner_key, task.id).state is State.INPUT_REQUIRED


def test_of_a_task_that_asks_its_caller_too_that_alone_is_shown() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    asking(tasks, task, FOR_OTHERS, SIZE)

    shown = tasks.get(ADA, task.id)
    assert (shown.id, shown.state, shown.input_requests) == (task.id, State.INPUT_REQUIRED, (SIZE,))
    assert shown.status_message == prompt((SIZE,)) != prompt((FOR_OTHERS, SIZE))


def test_one_that_begins_to_ask_others_while_its_caller_waits_works_as_far_as_it_is_shown() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks = service(clock=clock, waiter=waiter)
    task = tasks.start(ADA, job, {})
    waiter.meanwhile = lambda: asking(tasks, task)

    shown = tasks.wait(ADA, task.id, timeout=MINUTE, until=lambda task: task.state is not State.WORKING)
    assert (shown.state, shown.status_message) == (State.WORKING, WAITS)


def test_a_call_that_asked_others_before_it_was_a_task_does_not_show_what() -> None:
    asked = InitialState(requested=("refund", "lunch"), input_requests=(FOR_OTHERS, FOR_ANYONE))

    assert service().start(ADA, job, {}, initial_state=asked).input_requests == (FOR_ANYONE,)


def test_whoever_reads_a_task_its_outcome_or_a_list_is_noted_for_auditors() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    tasks.finish(ADA.owner_key, task.id, DONE)

    with noting() as noted:
        tasks.get(ADA, task.id)
        assert noted.happened == {("task.read", task.id): {"task": task.id, "outcome_read": False}}
        tasks.outcome(ADA, task.id)
        assert noted.happened == {("task.read", task.id): {"task": task.id, "outcome_read": True}}
    with noting() as noted:
        tasks.page(ADA, before=None, limit=1)
    assert noted.happened == {("tasks.listed", ""): {}}


def test_a_task_keeps_who_called_in_which_trace_and_what_the_call_had_done() -> None:
    caller = replace(ADA, scopes=frozenset({"a"}), actor={"sub": "agent"}, client_id="host")
    done = InitialState(progress=Progress(progress=1), status_message="drawn", input_requests=(COLOUR,))
    tasks = service()
    with noting():
        note_trace("4bf92f3577b34da6a3ce929d0e0e4736")
        task = tasks.start(caller, job, {}, initial_state=done)

    assert (task.scopes, task.actor, task.client_id) == (caller.scopes, caller.actor, caller.client_id)
    assert task.trace == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert (task.progress, task.status_message) == (done.progress, "drawn")
    assert task.holding == Holding(active=True, suspended=True)


def test_tasks_that_await_input_are_those_that_the_session_started() -> None:
    tasks = service()
    for session in ("s", "other"):
        task = tasks.start(ADA, job, {}, session=session)
        suspension = Suspension(tasks=tasks)
        suspension.request_input(ADA.owner_key, task.id, [COLOUR])
        suspension.suspend(ADA.owner_key, task.id, "token")

    assert tasks.awaiting_input(ADA, "other") == [task.id]


def test_each_listener_claims_a_notification_for_itself() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    claims = [tasks.claim_notification(ADA, task, listener) for listener in ("one", "two", "one")]
    assert claims == [True, True, False]


def test_an_id_is_the_time_in_milliseconds_and_what_nobody_can_guess() -> None:
    first, second = new_task_id(NOON), new_task_id(NOON)

    # 22 bytes, five bits to a character; 48 bits of them are the time.
    assert [len(each) for each in (first, second)] == [36, 36]
    assert int(first[:10], 32) >> 2 == NOON.timestamp() * 1_000
    assert first[:9] == second[:9]
    assert first[10:] != second[10:]
    assert first == first.lower()
