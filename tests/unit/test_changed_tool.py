"""A task whose tool was changed while it was in flight goes on where the new code asks the same, and else fails."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from pydantic import field_validator

from mcp_tasks import Context, Form, tool
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.model import Failed, InputRequest, Outcome, Returned
from tests.unit.contexts import EVERYTHING, accepted
from tests.unit.tool_run import ToolRun, greet, in_process_runner, text, tool_run


class Age(Form):
    age: int


def ask_age(context: Context) -> str:
    return f"{context.elicit('How old?', Age, key='age')}"


def ask_age_by_name(context: Context) -> str:
    return f"{context.elicit('Who?', Age, key='name')}"


class ShortName(Form):
    name: str

    @field_validator("name")
    @classmethod
    def is_short(cls, name: str) -> str:
        if len(name) > 2:
            raise ValueError("too long")
        return name


def ask_short_name(context: Context) -> str:
    return f"{context.elicit('Who?', ShortName, key='name')}"


def greet_loudly(context: Context) -> str:
    return f"{greet(context)}!!"


def greet_in(language: str, context: Context) -> str:
    return greet(context)


def answered_run(
    function: Callable[..., Any], *, version: str | None, started_under: str | None = "1", name: str = "Ada"
) -> ToolRun:
    """Return a task that asked for a name under one version, and was answered, with the runner of another."""
    made = tool_run(greet, client_capabilities=EVERYTHING)
    old, new = (
        replace(tool(name="job", description="A job.")(each), version=number)
        for each, number in ((greet, started_under), (function, version))
    )
    task = made.tasks.start(made.caller, old, {}, client_capabilities=EVERYTHING)
    before = ToolRun(clock=made.clock, tasks=made.tasks, runner=in_process_runner(made.tasks, old), task=task)
    before.wait().answer(name=accepted(name=name))
    return replace(before, runner=in_process_runner(made.tasks, new))


def outcome_of(
    function: Callable[..., Any], *, version: str | None, started_under: str | None = "1", name: str = "Ada"
) -> Outcome | None:
    """Return how that task ends."""
    return answered_run(function, version=version, started_under=started_under, name=name).run()


def test_it_goes_on_where_the_new_code_asks_the_same() -> None:
    assert outcome_of(greet_loudly, version="2") == text("Hello, Ada!!!")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (ask_age, "it asked 'name' before, and now asks 'age'"),
        (ask_short_name, "the answer to 'name' does not fit: "),
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
    outcome_of(ask_short_name, version="2", name="secret")

    assert "from version 1 to version 2" in caplog.text
    assert "secret" not in caplog.text


# --- where the form of a question changed, it is asked again


def test_a_crash_after_the_question_was_asked_again_asks_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    run = answered_run(ask_age_by_name, version="2", name="secret")

    # The execution dies before it waits, and later the run comes once more.
    assert run.run_once() is not None
    assert run.run_once() is not None
    run.suspend()
    assert run.run_once() is not None

    assert (run.open_keys(), run.current().requested) == (["name~again-2"], ("name", "name~again-2"))
    assert "it asks again" in caplog.text
    assert "secret" not in caplog.text
    run.answer(**{"name~again-2": accepted(age=7)})
    assert run.run() == text("Accepted(value=Age(age=7))")


def test_a_question_of_another_kind_is_asked_in_place_of_the_answered_one() -> None:
    def list_folders(context: Context) -> str:
        return f"{context.list_roots(key='name')}"

    run = answered_run(list_folders, version="2").wait()
    (request,) = run.current().open_input_requests
    assert (request.key, request.method) == ("name~again-2", "roots/list")

    run.answer(**{"name~again-2": {"roots": []}})
    assert run.run() == text("[]")


def test_a_run_that_is_late_does_not_ask_again_for_what_was_answered() -> None:
    run = answered_run(ask_age_by_name, version="2").wait()
    run.answer(**{"name~again-2": accepted(age=7)})

    with pytest.raises(IllegalTransition, match="that has a response cannot be made again"):
        Suspension(tasks=run.tasks).request_input(
            run.caller.owner_key, run.task.id, [InputRequest(key="name~again-2", method="roots/list", params={})]
        )
    assert run.run() == text("Accepted(value=Age(age=7))")


def test_a_form_that_is_another_one_in_each_run_is_asked_for_eleven_times() -> None:
    runs = count(1)

    def ask_anew(context: Context) -> str:
        form: Any = type("Anew", (Form,), {"__annotations__": {f"field_{next(runs)}": int}, "__module__": __name__})
        return f"{context.elicit('Who?', form, key='name')}"

    run = answered_run(ask_anew, version="2")
    asked = 1
    while run.run_once() is not None:
        run.suspend()
        (request,) = run.current().open_input_requests
        (field,) = request.params["requestedSchema"]["properties"]
        run.answer(**{request.key: accepted(**{field: 1})})
        asked += 1

    outcome = run.tasks.outcome(run.caller, run.task.id)
    assert isinstance(outcome, Failed)
    assert asked == 11
    assert "the answer to 'name~again-11' does not fit: " in outcome.message


def test_a_key_that_looks_like_one_of_a_question_asked_again_is_refused() -> None:
    def ask(context: Context) -> str:
        return f"{context.elicit('Who?', Age, key='name~again-2')}"

    outcome = tool_run(ask, client_capabilities=EVERYTHING).run()

    assert isinstance(outcome, Returned)
    assert outcome.result["content"][0]["text"] == (
        "job failed: ValueError: the key 'name~again-2' holds '~again-', "
        "which marks requests that the server makes again"
    )
