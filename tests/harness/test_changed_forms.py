"""A task whose question has another form since a deploy is asked again where its answer does not fit any more."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Form
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.client import InputRequest
from tests.harness import changed_tools
from tests.harness.changed_tools import Amount, Consent, ConsentWithNote
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.kit import ADA

GRACE = replace(ADA, subject="grace", roles=frozenset({"finance"}))


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.changed_tools"


@pytest.fixture
def deploy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that deploys the tools with another form."""

    def put(form: type[Form]) -> None:
        monkeypatch.setitem(changed_tools.CODE, "form", form)

    return put


def asked(task: DeployedTask) -> Mapping[str, InputRequest]:
    """Return what the client is asked, by the message."""
    return {each.message: each for each in task.client.input_requests(task.id)}


def accept(task: DeployedTask, message: str, **content: Any) -> None:
    asked(task)[message].accept(**content)
    task.harness.run_until_idle()


def fields(request: InputRequest) -> list[str]:
    return [*request.params["requestedSchema"]["properties"]]


def test_an_answer_that_does_not_fit_the_new_form_is_asked_for_again(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("restock")
    first = asked(task)["Order A7?"]
    deploy(Amount)
    accept(task, "Order A7?", ok=True)

    assert task.status == "input_required"
    (again,) = asked(task).values()
    assert (again.message, fields(first), fields(again)) == ("Order A7?", ["ok"], ["count"])
    assert again.id != first.id

    accept(task, "Order A7?", count=3)
    accept(task, "Ship?", ok=True)
    assert task.result.text == "Amount(count=3), Consent(ok=True)"


def test_an_answer_that_fits_the_new_form_is_used(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("restock")
    deploy(ConsentWithNote)
    accept(task, "Order A7?", ok=True)

    assert [*asked(task)] == ["Ship?"]
    accept(task, "Ship?", ok=False)
    assert task.result.text == "ConsentWithNote(ok=True, note=''), Consent(ok=False)"


def test_an_answer_that_was_used_before_the_deploy_is_asked_for_again_too(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("restock")
    accept(task, "Order A7?", ok=True)
    deploy(Amount)
    accept(task, "Ship?", ok=True)

    assert [*asked(task)] == ["Order A7?"]
    accept(task, "Order A7?", count=3)
    assert task.result.text == "Amount(count=3), Consent(ok=True)"


def test_a_user_who_declined_the_old_form_is_not_asked_again(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("restock")
    deploy(Amount)
    asked(task)["Order A7?"].decline()
    task.harness.run_until_idle()

    assert [*asked(task)] == ["Ship?"]
    accept(task, "Ship?", ok=True)
    assert task.result.text == "Declined, Consent(ok=True)"


def test_an_open_question_keeps_its_form_until_it_is_answered(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("restock")
    deploy(Amount)
    tasks.advance(hours=5)

    kept = asked(task)["Order A7?"]
    assert fields(kept) == ["ok"]
    with pytest.raises(McpError, match="ok is missing"):
        kept.accept(count=3)
    (still,) = asked(task).values()
    assert fields(still) == ["ok"]


def test_only_the_changed_one_of_two_questions_is_asked_again(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("survey")
    deploy(Amount)
    accept(task, "Order?", ok=True)
    accept(task, "How was it?", stars=5)

    assert [*asked(task)] == ["Order?"]
    accept(task, "Order?", count=3)
    assert task.result.text == "Amount(count=3), Rating(stars=5)"


def test_a_form_that_changes_twice_is_asked_for_twice(tasks: DeployedTasks, deploy: Any) -> None:
    task = tasks.start("restock")
    deploy(Amount)
    accept(task, "Order A7?", ok=True)
    deploy(changed_tools.Rating)
    accept(task, "Order A7?", count=3)
    assert fields(asked(task)["Order A7?"]) == ["stars"]

    accept(task, "Order A7?", stars=5)
    accept(task, "Ship?", ok=True)
    assert task.result.text == "Rating(stars=5), Consent(ok=True)"


@pytest.mark.parametrize("is_answered", [True, False])
def test_after_a_rollback_the_first_answer_fits_once_more(tasks: DeployedTasks, deploy: Any, is_answered: bool) -> None:
    task = tasks.start("restock")
    deploy(Amount)
    accept(task, "Order A7?", ok=True)
    if is_answered:
        accept(task, "Order A7?", count=3)
        deploy(Consent)
    else:
        deploy(Consent)
        accept(task, "Order A7?", count=3)

    accept(task, "Ship?", ok=True)
    assert task.result.text == "Consent(ok=True), Consent(ok=True)"


def test_others_whom_the_tool_asks_decide_again(tasks: DeployedTasks, deploy: Any) -> None:
    task, grace = tasks.start("refund"), tasks.connect(GRACE)

    def decide(**content: Any) -> str:
        (waiting,) = grace.call_tool("approval_list").structured["approvals"]
        decision = {"id": waiting["id"], "action": "accept", "content": content}
        assert not grace.call_tool("approval_decide", decision).is_error
        tasks.harness.run_until_idle()
        return str(waiting["id"])

    deploy(Amount)
    first = decide(ok=True)
    assert task.message == "Waits for an answer of role finance."
    assert decide(count=3) != first
    assert task.result.text == "Amount(count=3), by grace"
