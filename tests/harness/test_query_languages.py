"""A machine's own states are of JSONPath or of JSONata, or some of either."""

import json
from typing import Any

import pytest
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor

from mcp_tasks.authoring.errors import McpError
from tests.harness.harness import Harness
from tests.harness.tasks import DeployedTasks
from tests.states import sequence


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.machine_tools"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.sample_machines"


def test_states_of_both_languages_are_in_one_machine(tasks: DeployedTasks) -> None:
    assert tasks.run("lengths", of={"words": ["a", "bcd"]}).structured == {"lengths": [1, 3]}


def test_an_error_in_a_state_of_jsonpath_is_the_tasks(tasks: DeployedTasks) -> None:
    task = tasks.start("lengths", of={})
    tasks.advance(seconds=1)

    with pytest.raises(McpError, match=r"States\.Runtime"):
        task.result  # noqa: B018  (reading it raises)


def test_executions_that_begin_at_once_are_parsed_each_in_its_own_language(
    deployment: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_path = json.dumps(sequence({"Type": "Pass", "OutputPath": "$.said"}))
    by_expression = json.dumps({"QueryLanguage": "JSONata", **sequence({"Type": "Pass", "Output": "{% 1 %}"})})
    visit = Preprocessor.visitState_decl

    def parse_another_meanwhile(preprocessor: Preprocessor, state: Any) -> Any:
        monkeypatch.setattr(Preprocessor, "visitState_decl", visit)
        AmazonStateLanguageParser.parse(by_path)
        return visit(preprocessor, state)

    monkeypatch.setattr(Preprocessor, "visitState_decl", parse_another_meanwhile)
    AmazonStateLanguageParser.parse(by_expression)
    assert Preprocessor.visitState_decl is visit
