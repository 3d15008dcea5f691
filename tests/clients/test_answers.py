"""The official clients answer what a tool asks on the way, each in its own way, against the deployed stack."""

import pytest

from tests.clients.expected import ERAS, MODES, NAMELESS, TEA, WATER, in_each_revision
from tests.clients.programs import Endpoint, Inspector, node, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]


@in_each_revision
def test_the_python_client_2_answers_within_a_call(endpoint: Endpoint, revision: str) -> None:
    output = python("client_v2", "answers.python_v2", endpoint, MODES[revision])

    assert output == {"called": TEA, "without_capabilities": WATER}


@in_each_revision
def test_the_typescript_client_2_answers_within_a_call(endpoint: Endpoint, revision: str) -> None:
    output = node("answers/typescript_v2", endpoint, MODES[revision])

    assert output == {"called": TEA, "without_capabilities": WATER}


@in_each_revision
def test_the_tasks_package_of_typescript_answers_a_task_that_it_polls(endpoint: Endpoint, revision: str) -> None:
    output = node("answers/ext_tasks", endpoint, MODES[revision])

    assert output == {"polled": TEA}


@in_each_revision
def test_the_inspectors_connection_answers_by_a_command(inspector: Inspector, revision: str) -> None:
    inspector.connect(ERAS[revision])
    leaves = inspector.do("tools/call", "brew")["elicitationPending"]
    sugar = inspector.do("elicitation/respond", leaves["elicitationId"], "leaves:=green")["elicitationPending"]
    result = inspector.do("elicitation/respond", sugar["elicitationId"], "lumps:=2")

    # It does not declare sampling.
    assert [result["content"][0]["text"], leaves["message"], sugar["message"]] == NAMELESS
    assert leaves["requestedSchema"]["properties"]["leaves"]["enum"] == ["green", "black"]


@in_each_revision
def test_the_inspectors_connection_can_be_one_that_cannot_be_asked(inspector: Inspector, revision: str) -> None:
    inspector.connect(ERAS[revision], "--elicit", "off")
    result = inspector.do("tools/call", "brew")

    assert result["content"][0]["text"] == WATER[0]


@in_each_revision
def test_the_inspectors_command_cannot_be_asked(inspector: Inspector, revision: str) -> None:
    result = inspector.once(MODES[revision], "brew")

    # It has no option to declare that it could.
    assert result["content"][0]["text"] == WATER[0]
