"""A task whose tool was changed while it was in flight goes on where the new code asks the same, and else fails."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Context, Form, tool
from mcp_tasks.tasks.model import Failed, Outcome, Returned
from tests.unit.contexts import EVERYTHING, accepted
from tests.unit.tool_run import ToolRun, greet, in_process_runner, text, tool_run


class Age(Form):
    age: int


def ask_age(context: Context) -> str:
    return f"{context.elicit('How old?', Age, key='age')}"


def ask_age_by_name(context: Context) -> str:
    return f"{context.elicit('Who?', Age, key='name')}"


def greet_loudly(context: Context) -> str:
    return f"{greet(context)}!!"


def greet_in(language: str, context: Context) -> str:
    return greet(context)


def outcome_of(
    function: Callable[..., Any], *, version: str | None, started_under: str | None = "1", name: str = "Ada"
) -> Outcome | None:
    """Return how a task ends that asked for a name under one version, and is answered under another."""
    made = tool_run(greet, client_capabilities=EVERYTHING)
    old, new = (
        replace(tool(name="job", description="A job.")(each), version=number)
        for each, number in ((greet, started_under), (function, version))
    )
    task = made.tasks.start(made.caller, old, {}, client_capabilities=EVERYTHING)
    before = ToolRun(clock=made.clock, tasks=made.tasks, runner=in_process_runner(made.tasks, old), task=task)
    before.wait().answer(name=accepted(name=name))
    return replace(before, runner=in_process_runner(made.tasks, new)).run()


def test_it_goes_on_where_the_new_code_asks_the_same() -> None:
    assert outcome_of(greet_loudly, version="2") == text("Hello, Ada!!!")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (ask_age, "it asked 'name' before, and now asks 'age'"),
        (ask_age_by_name, "the answer to 'name' does not fit: "),
        (greet_in, "its arguments do not fit: "),
    ],
)
def test_it_fails_with_both_versions_where_the_new_code_does_not_fit(function: Callable[..., Any], why: str) -> None:
    outcome = outcome_of(function, version="2")

    assert isinstance(outcome, Failed)
    assert outcome.code == -32603
    assert outcome.message.startswith(
        f"job was changed while this task was in flight, from version 1 to version 2, and the task cannot go on: {why}"
    )


@pytest.mark.parametrize(("started_under", "version"), [("1", "1"), (None, "1"), ("1", None)])
def test_it_is_the_tools_mistake_where_the_code_is_the_same_for_all_that_is_known(
    started_under: str | None, version: str | None
) -> None:
    outcome = outcome_of(ask_age, version=version, started_under=started_under)

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert outcome.result["content"][0]["text"].startswith("job failed: it asked 'name' the last time and now 'age'")


def test_the_log_names_the_versions_and_nothing_that_a_user_said(caplog: pytest.LogCaptureFixture) -> None:
    outcome_of(ask_age_by_name, version="2", name="secret")

    assert "from version 1 to version 2" in caplog.text
    assert "secret" not in caplog.text
