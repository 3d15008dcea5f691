"""A tool that requests input within a task: its run ends, and is replayed with the responses."""

from datetime import timedelta

import pytest

from mcp_tasks import Context, Elicit, ListRoots
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.limits.tools import MAX_REQUESTED_CHARACTERS
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import InputResponse, Returned, State
from tests.kit import ADA, FixedClock
from tests.unit.contexts import EVERYTHING, Name, accepted
from tests.unit.jobs import ROOTS
from tests.unit.tool_run import greet, text, tool_run

FOLDERS = {"roots": [{"uri": "file:///home"}]}


# --- from an input request to its answer


def test_a_run_that_asks_ends_with_how_long_the_client_may_take() -> None:
    made = tool_run(greet, client_capabilities=EVERYTHING)

    assert made.run_once() == timedelta(hours=24) - KEPT
    assert (made.current().state, made.current().requested) == (State.WORKING, ("name",))
    with pytest.raises(TaskNotFound):
        made.tasks.outcome(ADA, made.task.id)


def test_a_tool_goes_on_with_the_answer() -> None:
    made = tool_run(greet, client_capabilities=EVERYTHING).wait()
    assert made.open_keys() == ["name"]

    made.answer(name=accepted(name="Ada"))

    assert made.run() == text("Hello, Ada!")
    assert made.current().state is State.FINISHED


def test_an_async_tool_may_ask_too() -> None:
    async def job(context: Context) -> str:
        return greet(context)

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(name={"action": "decline"})

    assert made.run() == text("Hello!")


def test_each_run_is_given_what_was_answered_before_it() -> None:
    def job(context: Context) -> str:
        first = context.elicit("Who?", Name, key="first")
        second = context.elicit(f"Who but {first}?", Name, key="second")
        return f"{first} and {second}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(first=accepted(name="Ada"))
    made.wait()
    assert made.open_keys() == ["second"]
    made.answer(second=accepted(name="Bob"))

    assert made.run() == text("Accepted(value=Name(name='Ada')) and Accepted(value=Name(name='Bob'))")
    assert made.current().requested == ("first", "second")


def test_several_things_may_be_asked_at_once_and_answered_one_by_one() -> None:
    runs: list[int] = []

    def job(context: Context) -> str:
        runs.append(1)
        name, roots = context.gather(Elicit("Who?", Name, key="name"), ListRoots(key="roots"))
        return f"{name.value.name} in {roots[0].uri}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(roots=FOLDERS)
    assert (made.open_keys(), made.run_once(), len(runs)) == (["name"], timedelta(hours=24) - KEPT, 1)

    made.answer(name=accepted(name="Ada"))

    assert (made.run(), len(runs)) == (text("Ada in file:///home"), 2)


def test_what_a_step_did_before_the_input_request_is_not_done_twice() -> None:
    done: list[str] = []

    def job(context: Context) -> list[str]:
        context.step("pay", lambda: done.append("paid"))
        greet(context)
        context.step("ship", lambda: done.append("shipped"))
        return done

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    assert done == ["paid"]
    made.answer(name=accepted(name="Ada"))

    assert made.run() == text('["paid","shipped"]')


def test_what_many_tools_do_does_not_swallow_an_input_request() -> None:
    def job(context: Context) -> str:
        try:
            return greet(context)
        except Exception:  # noqa: BLE001  # what many tools do
            return "swallowed"

    assert tool_run(job, client_capabilities=EVERYTHING).run_once() is not None


# --- input requested before the run


def test_what_the_call_asked_before_it_was_a_task_is_asked_first() -> None:
    def job(context: Context) -> str:
        roots = context.list_roots(key="roots")
        return f"{context.step('draw', lambda: 'drawn anew')} {roots[0].uri}"

    initial_state = InitialState(requested=("roots",), input_requests=(ROOTS,), steps={"draw": "as drawn"})
    made = tool_run(job, client_capabilities=EVERYTHING, initial_state=initial_state)

    assert made.run_once() == timedelta(hours=24) - KEPT
    made.suspend()
    assert made.open_keys() == ["roots"]
    made.answer(roots=FOLDERS)
    assert made.run() == text("as drawn file:///home")


def test_what_the_call_was_answered_before_it_was_a_task_is_not_asked_again() -> None:
    def job(context: Context) -> str:
        first = context.list_roots(key="roots")[0].uri
        return f"{first} {greet(context)}"

    initial_state = InitialState(requested=("roots",), responses={"roots": InputResponse(result=FOLDERS)})
    made = tool_run(job, client_capabilities=EVERYTHING, initial_state=initial_state).wait()
    assert made.open_keys() == ["name"]
    made.answer(name=accepted(name="Ada"))

    assert made.run() == text("file:///home Hello, Ada!")
    assert made.current().requested == ("roots", "name")


def test_a_run_that_asks_otherwise_than_the_call_did_fails() -> None:
    initial_state = InitialState(requested=("roots",), responses={"roots": InputResponse(result=FOLDERS)})

    outcome = tool_run(greet, client_capabilities=EVERYTHING, initial_state=initial_state).run()

    assert isinstance(outcome, Returned)
    assert "it asked 'roots' the last time and now 'name' instead" in outcome.result["content"][0]["text"]


# --- outages


@pytest.mark.parametrize("what", ["read", "write"])
def test_an_outage_while_a_tool_asks_is_no_failure_of_the_tool(what: str) -> None:
    class Outage(Exception):
        """The error of a client library when AWS does not respond."""

    class Moody(MemoryTaskStore):
        """A store with one method that fails during the first run of the tool."""

        def __getattribute__(self, name: str) -> object:
            if name == what and down:
                raise Outage
            return super().__getattribute__(name)

    def job(context: Context) -> str:
        down.extend([True] * (context.attempt == 1))
        return greet(context)

    down: list[bool] = []
    store = Moody(FixedClock())
    made = tool_run(job, client_capabilities=EVERYTHING, store=lambda clock: store)

    with pytest.raises(RunInterrupted):
        made.run_once()
    down.clear()
    assert made.current().requested == ()
    assert made.run_once(attempt=2) is not None


def test_a_tool_whose_keys_are_too_long_to_be_kept_together_fails_and_says_so() -> None:
    def job(context: Context) -> None:
        for key in "abc":
            context.list_roots(key=key * (MAX_REQUESTED_CHARACTERS // 2 - 100))

    made = tool_run(job, client_capabilities=EVERYTHING)
    while made.run_once() is not None:
        made.suspend()
        made.answer(**dict.fromkeys(made.open_keys(), FOLDERS))

    outcome = made.tasks.outcome(ADA, made.task.id)
    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert outcome.result["content"][0]["text"] == (
        "job failed: it makes input requests whose keys are 149,712 characters, with those that it made before; "
        "100,000 is the most."
    )
