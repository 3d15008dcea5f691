"""The official clients answer what a tool asks on the way, each in its own way, against the deployed stack."""

import pytest

from tests.clients.programs import Endpoint, Inspector, node, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]

in_both_revisions = pytest.mark.parametrize("mode", ["legacy", "auto"])

# What the tool says in the end, and what was asked until then: each thing once.
TEA = ["Calm: green, 2 lumps", "Which leaves?", "How much sugar?", "Name this tea."]
CORRECTION = 'Which leaves?\n\nThe last answer did not fit: leaves should be one of "green", "black", not "red".'
CORRECTED = [*TEA[:2], CORRECTION, *TEA[2:]]
NAMELESS = ["tea without a name: green, 2 lumps", "Which leaves?", "How much sugar?"]
WATER = ["Water, since nobody can be asked"]


def test_the_python_client_1_answers_on_every_stream_that_it_has(endpoint: Endpoint) -> None:
    output = python("client", "answers.python_v1", endpoint)

    assert output.pop("corrected") == CORRECTED
    assert output.pop("without_capabilities") == WATER
    assert output == dict.fromkeys(["waited", "waited_twice", "polled", "called"], TEA)


@in_both_revisions
def test_the_python_client_2_answers_within_a_call(endpoint: Endpoint, mode: str) -> None:
    output = python("client_v2", "answers.python_v2", endpoint, mode)

    assert output == {"called": TEA, "without_capabilities": WATER}


def test_fastmcp_answers_a_task_it_knows_of_or_not(endpoint: Endpoint) -> None:
    output = python("client_v2", "answers.fastmcp_v4", endpoint)

    assert output == {"called": NAMELESS, "in_hand": NAMELESS, "without_capabilities": WATER}


def test_the_typescript_client_1_answers_and_is_asked_again_where_its_answer_does_not_fit(endpoint: Endpoint) -> None:
    output = node("answers/typescript_v1", endpoint)

    assert output == {"followed": TEA, "waited_twice": TEA, "called": TEA, "corrected": CORRECTED}


@in_both_revisions
def test_the_typescript_client_2_answers_within_a_call(endpoint: Endpoint, mode: str) -> None:
    output = node("answers/typescript_v2", endpoint, mode)

    assert output == {"called": TEA, "without_capabilities": WATER}


@in_both_revisions
def test_the_tasks_package_of_typescript_answers_a_task_that_it_polls(endpoint: Endpoint, mode: str) -> None:
    output = node("answers/ext_tasks", endpoint, mode)

    assert output == {"polled": TEA}


@pytest.mark.parametrize(("era", "options"), [("legacy", ["--task"]), ("legacy", []), ("modern", [])])
def test_the_inspectors_connection_answers_by_a_command(inspector: Inspector, era: str, options: list[str]) -> None:
    inspector.connect(era)
    leaves = inspector.do("tools/call", "brew", *options)["elicitationPending"]
    sugar = inspector.do("elicitation/respond", leaves["elicitationId"], "leaves:=green")["elicitationPending"]
    result = inspector.do("elicitation/respond", sugar["elicitationId"], "lumps:=2")

    # It offers no model.
    assert [result["content"][0]["text"], leaves["message"], sugar["message"]] == NAMELESS
    assert leaves["requestedSchema"]["properties"]["leaves"]["enum"] == ["green", "black"]


def test_the_inspectors_next_connection_answers_what_the_last_one_was_asked(inspector: Inspector) -> None:
    inspector.connect("legacy")
    unanswered = inspector.do("tools/call", "brew", "--task")["elicitationPending"]
    inspector.leave()
    inspector.connect("legacy")
    (task,) = inspector.do("tasks/list")["tasks"]
    leaves = inspector.do("tasks/get", task["taskId"])["elicitationPending"]
    inspector.do("elicitation/respond", leaves["elicitationId"], "leaves:=green")
    sugar = inspector.do("tasks/result", task["taskId"])["elicitationPending"]
    result = inspector.do("elicitation/respond", sugar["elicitationId"], "lumps:=2")

    assert unanswered["message"] == leaves["message"]
    assert [result["content"][0]["text"], leaves["message"], sugar["message"]] == NAMELESS


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspectors_connection_can_be_one_that_cannot_be_asked(inspector: Inspector, era: str) -> None:
    inspector.connect(era, "--elicit", "off")
    result = inspector.do("tools/call", "brew")

    assert result["content"][0]["text"] == WATER[0]


@in_both_revisions
def test_the_inspectors_command_cannot_be_asked(inspector: Inspector, mode: str) -> None:
    result = inspector.once(mode, "brew")

    # It has no option to declare that it could.
    assert result["content"][0]["text"] == WATER[0]
