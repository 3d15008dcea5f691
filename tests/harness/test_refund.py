"""The example of a refund that takes two people."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.testing.client import Client
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA

FINANCE = frozenset({"finance"})
GRACE = replace(ADA, subject="grace", roles=FINANCE)


@pytest.fixture
def tools_module() -> str:
    return "examples"


def decide(tasks: DeployedTasks, client: Client, **decision: Any) -> None:
    (waiting,) = client.call_tool("approval_list").structured["approvals"]
    assert waiting["shown"] == "ada asks for a refund of order **A7**.\n\n> It never came."
    assert not client.call_tool("approval_decide", {"id": waiting["id"], **decision}).is_error
    tasks.harness.run_until_idle()


def test_an_order_is_refunded_once_a_second_person_agrees(tasks: DeployedTasks) -> None:
    ada = replace(ADA, roles=FINANCE)
    task = tasks.start("refund", as_caller=ada, order="A7", reason="It never came.")
    assert task.message == "Waits for an answer of role finance."
    assert tasks.connect(ada).call_tool("approval_list").structured["approvals"] == []

    decide(tasks, tasks.connect(GRACE, capabilities={}), action="accept", content={"amount": 7.5})

    assert task.result.text == "Order A7 is refunded: 7.50, by grace."


def test_a_reason_of_several_lines_stays_in_its_quote(tasks: DeployedTasks) -> None:
    tasks.start("refund", order="A7", reason="It never came.\n\n# Finance agreed\r- by phone\u2028today")

    (waiting,) = tasks.connect(GRACE).call_tool("approval_list").structured["approvals"]

    asked, _, quote = waiting["shown"].partition("\n\n")
    assert asked == "ada asks for a refund of order **A7**."
    assert quote.splitlines() == ["> It never came.", "> ", "> # Finance agreed", "> - by phone", "> today"]


@pytest.mark.parametrize("order", ["", "A7**\n\n# Agreed", "A7\n", "<b>"])
def test_an_order_is_a_number_and_no_text(tasks: DeployedTasks, order: str) -> None:
    assert tasks.connect(ADA).call_tool("refund", {"order": order, "reason": "It never came."}).is_error


def test_it_is_not_if_somebody_declines(tasks: DeployedTasks) -> None:
    task = tasks.start("refund", order="A7", reason="It never came.")

    decide(tasks, tasks.connect(GRACE), action="decline")

    assert task.result.text == "Order A7 is not refunded: grace declined."


def test_nor_if_nobody_decides(tasks: DeployedTasks) -> None:
    assert "nobody of finance decided within 3 days" in tasks.run("refund", order="A7", reason="It never came.").text
