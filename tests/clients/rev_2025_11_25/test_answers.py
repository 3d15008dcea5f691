"""The official clients of 2025-11-25 answer what a tool asks on the way, each in its own way."""

import pytest

from tests.clients.expected import CORRECTED, NAMELESS, TEA, WATER
from tests.clients.programs import Endpoint, Inspector, node, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]


def test_the_python_client_1_answers_on_every_stream_that_it_has(endpoint: Endpoint) -> None:
    output = python("client", "rev_2025_11_25.answers.python_v1", endpoint)

    assert output.pop("corrected") == CORRECTED
    assert output.pop("without_capabilities") == WATER
    assert output == dict.fromkeys(["waited", "waited_twice", "polled", "called"], TEA)


def test_the_typescript_client_1_answers_and_is_asked_again_where_its_answer_does_not_fit(endpoint: Endpoint) -> None:
    output = node("rev_2025_11_25/answers/typescript_v1", endpoint)

    assert output == {"followed": TEA, "waited_twice": TEA, "called": TEA, "corrected": CORRECTED}


def test_the_inspectors_next_connection_answers_what_the_last_one_was_asked(inspector: Inspector) -> None:
    inspector.connect("legacy")
    unanswered = inspector.do("tools/call", "brew", "--task")["elicitationPending"]
    inspector.leave()
    inspector.connect("legacy")
    (task,) = inspector.do("tasks/list")["tasks"]
    leaves = inspector.do("tasks/result", task["taskId"])["elicitationPending"]
    sugar = inspector.do("elicitation/respond", leaves["elicitationId"], "leaves:=green")["elicitationPending"]
    result = inspector.do("elicitation/respond", sugar["elicitationId"], "lumps:=2")

    assert unanswered["message"] == leaves["message"]
    assert [result["content"][0]["text"], leaves["message"], sugar["message"]] == NAMELESS


def test_the_inspectors_connection_answers_by_a_command_what_a_task_asks(inspector: Inspector) -> None:
    inspector.connect("legacy")
    leaves = inspector.do("tools/call", "brew", "--task")["elicitationPending"]
    sugar = inspector.do("elicitation/respond", leaves["elicitationId"], "leaves:=green")["elicitationPending"]
    result = inspector.do("elicitation/respond", sugar["elicitationId"], "lumps:=2")

    # It does not declare sampling.
    assert [result["content"][0]["text"], leaves["message"], sugar["message"]] == NAMELESS
    assert leaves["requestedSchema"]["properties"]["leaves"]["enum"] == ["green", "black"]
