"""`context.patched`: tasks that were past a change take the old path, all others the new one, in each of their runs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.limits.tools import MAX_LOADED_CHARACTERS
from mcp_tasks.tasks.model import JSON, Outcome
from tests.unit.contexts import EVERYTHING, Answers, Confirmation, accepted, plain, run_to_end
from tests.unit.tool_run import ToolRun, in_process_runner, text, tool_run


def old(context: Context) -> str:
    context.step("charge", lambda: "charged")
    return f"old: {bool(context.elicit('Go on?', Confirmation, key='go on'))}"


def new(context: Context) -> str:
    if not context.patched("check first"):
        return old(context)
    context.step("check", lambda: "checked")
    return f"new: {bool(context.elicit('Still?', Confirmation, key='still'))}"


def late(context: Context) -> str:
    context.step("charge", lambda: "charged")
    context.elicit("Go on?", Confirmation, key="go on")
    return f"old, then patched: {context.patched('after the answer')}"


def begun(function: Callable[..., Any]) -> ToolRun:
    return tool_run(function, client_capabilities=EVERYTHING).wait()


def deployed(before: ToolRun, function: Callable[..., Any]) -> ToolRun:
    """Return the same task, with other code for it."""
    made = tool(name="job", description="A job.")(function)
    return replace(before, runner=in_process_runner(before.tasks, made))


def answered(made: ToolRun, **answers: JSON) -> Outcome:
    made.answer(**answers)
    return made.run()


def test_a_new_task_takes_the_new_path_in_each_of_its_runs() -> None:
    assert answered(begun(new), still=accepted(ok=True)) == text("new: True")


def test_a_task_that_was_past_the_change_takes_the_old_path() -> None:
    assert answered(deployed(begun(old), new), **{"go on": accepted(ok=True)}) == text("old: True")


def test_a_task_that_had_not_come_to_the_change_takes_the_new_path() -> None:
    assert answered(deployed(begun(old), late), **{"go on": accepted(ok=True)}) == text("old, then patched: True")


def test_a_change_is_decided_once_for_each_task_however_often_it_is_asked() -> None:
    def often(context: Context) -> str:
        first = context.patched("check first")
        old(context)
        return f"{first}, {context.patched('check first')}"

    assert answered(deployed(begun(old), often), **{"go on": accepted(ok=True)}) == text("False, False")
    assert answered(begun(often), **{"go on": accepted(ok=True)}) == text("True, True")


def test_what_is_too_large_to_begin_a_run_with_counts() -> None:
    def large(context: Context) -> str:
        return context.step("large", lambda: "x" * MAX_LOADED_CHARACTERS)[:1] + old(context)

    def patched_before(context: Context) -> str:
        before = context.patched("before")
        context.step("large", lambda: "")
        between = context.patched("between")
        return f"{before}, {between}, {old(context)}"

    def patched_after(context: Context) -> str:
        return f"{large(context)}, {context.patched('after')}"

    made = begun(large)
    assert answered(deployed(made, patched_before), **{"go on": accepted(ok=True)}) == text("False, False, old: True")
    assert answered(deployed(begun(large), patched_after), **{"go on": accepted(ok=True)}) == text("xold: True, True")


def test_only_a_step_that_is_left_keeps_a_task_on_the_old_path() -> None:
    def crashes(context: Context) -> str:
        context.step("large", lambda: "x" * MAX_LOADED_CHARACTERS)
        context.step("last", lambda: "y" * MAX_LOADED_CHARACTERS)
        raise KeyboardInterrupt

    def patched(context: Context) -> str:
        context.step("large", lambda: "")
        first = context.patched("first")
        context.step("last", lambda: "")
        return f"{first}, {context.patched('second')}"

    made = tool_run(crashes)
    with pytest.raises(KeyboardInterrupt):
        made.run()
    assert deployed(made, patched).run() == text("False, True")


@pytest.mark.parametrize("steps", [{}, {"charge": "charged"}])
def test_a_call_that_is_no_task_keeps_to_its_path_too(steps: dict[str, JSON]) -> None:
    def call(context: Context) -> str:
        path = context.patched("change")
        context.step("charge", lambda: "charged")
        context.elicit("Go on?", Confirmation, key="go on")
        return f"{path}, {context.patched('later')}"

    keys, said = run_to_end(call, {"go on": accepted(ok=True)})
    assert (keys, said) == (["go on"], "True, True")

    log = Answers(steps=steps, requested=["go on"], responses={"go on": accepted(ok=True)})
    assert log.patched("change") is False
    assert [plain(key) for key in log.requested] == ["go on"]
