"""The output of a tool's own state machine becomes its result, or an error that says what does not fit."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from mcp_tasks import Caller, tool
from mcp_tasks.engine.execution_outcomes import ExecutionOutcomes
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS
from mcp_tasks.run_host.in_process import as_json
from mcp_tasks.run_inline.callers import document_of_caller
from mcp_tasks.run_inline.client import InlineClient
from mcp_tasks.run_inline.server import InlineServer
from mcp_tasks.tasks.model import JSON, Failed, Outcome, Returned
from tests.kit import ADA, FixedClock
from tests.unit.jobs import service


class Column(BaseModel):
    name: str
    mean: float

    @field_validator("name")
    @classmethod
    def has_a_name(cls, name: str) -> str:
        if not name:
            raise ValueError("no name" * MAX_ERROR_CHARACTERS)
        return name


class Profile(BaseModel):
    columns: list[Column]


@tool(machine="profile", timeout=timedelta(hours=1))
def profile() -> Profile:
    """Profile columns in a state machine."""
    raise NotImplementedError


def outcome_of(output: JSON) -> Outcome | None:
    """Return the outcome of a task whose state machine ended with this output."""
    tasks = service()
    task = tasks.start(ADA, profile, {})
    ExecutionOutcomes(tasks=tasks, tools=Toolbox([profile])).returned(ADA.owner_key, task.id, output)
    return tasks.outcome(ADA, task.id)


def test_an_output_that_fits_is_the_result() -> None:
    outcome = outcome_of({"columns": [{"name": "a", "mean": 1.5}]})

    assert isinstance(outcome, Returned)
    assert outcome.result["structuredContent"] == {"columns": [{"name": "a", "mean": 1.5}]}


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            {"columns": [{"name": "a", "mean": "x"}]},
            'columns.0.mean: Input should be a valid number, unable to parse string as a number, not "x"',
        ),
        ({"columns": [{"mean": 1}]}, "columns.0.name is missing"),
        ([], "result: Input should be a valid dictionary or instance of Profile, not []"),
    ],
)
def test_an_output_that_does_not_fit_says_to_the_client_and_in_the_log_what_does_not(
    output: JSON, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    outcome = outcome_of(output)

    assert isinstance(outcome, Failed)
    assert outcome.message == f"The work returned what the tool's output schema does not allow: {says}"
    assert says in caplog.text


def test_an_explanation_of_a_tools_own_is_cut() -> None:
    outcome = outcome_of({"columns": [{"name": "", "mean": 1}]})

    assert isinstance(outcome, Failed)
    assert "columns.0.name: Value error, no name" in outcome.message
    assert len(outcome.message) == MAX_ERROR_CHARACTERS


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ("States.DataLimitExceeded", "The work handed over more than the 256 KiB that a state may."),
        ("RunInterrupted", "The work was interrupted, since the server failed, and was not repeated in time."),
        ("RunBroken", "The server failed at each attempt to do the work."),
        ("Unavailable", "The server failed for longer than it tries again."),
        ("Lambda.TooManyRequestsException", "There was no room to do the work for longer than the server waits."),
        ("NoDisk", "The work failed: NoDisk."),
    ],
)
def test_an_error_of_a_state_machine_is_told_in_a_sentence(error: str, says: str) -> None:
    tasks = service()
    task = tasks.start(ADA, profile, {})
    ExecutionOutcomes(tasks=tasks, tools=Toolbox([profile])).failed(ADA.owner_key, task.id, error)

    assert tasks.outcome(ADA, task.id) == Failed(code=-32603, message=says)


def test_an_output_for_code_that_is_elsewhere_is_checked_there_for_the_owner_of_the_task() -> None:
    features = Features(tools=Toolbox([profile]))
    callers: list[Any] = []

    def invoke(message: Mapping[str, JSON]) -> Any:
        callers.append(message["caller"])
        return as_json(InlineServer(features=features, clock=FixedClock()).answer)(message)

    tasks = service()
    task = tasks.start(ADA, profile, {})
    work = InlineClient(invoke=invoke).tool("profile", profile.work.input_schema, profile.work.output_schema)
    there = Toolbox([replace(profile, work=work)])
    ExecutionOutcomes(tasks=tasks, tools=there).returned(ADA.owner_key, task.id, {"columns": []})

    assert isinstance(tasks.outcome(ADA, task.id), Returned)
    assert callers == [document_of_caller(Caller.of_owner_key(ADA.owner_key))]


def test_the_output_for_a_tool_that_is_gone_fails_its_task() -> None:
    tasks = service()
    task = tasks.start(ADA, profile, {})

    ExecutionOutcomes(tasks=tasks, tools=Toolbox([])).returned(ADA.owner_key, task.id, {"columns": []})

    assert tasks.outcome(ADA, task.id) == Failed(code=-32603, message="There is no such tool any more.")


@pytest.mark.parametrize(
    ("status", "says", "logged"),
    [
        ("TIMED_OUT", "The work did not end in time.", False),
        ("ABORTED", "The work was stopped.", False),
        ("FAILED", "The work failed.", True),
        ("SUCCEEDED", "The work ended without a result.", True),
    ],
)
def test_an_end_that_only_an_event_told_fails_its_task_and_is_logged_once_if_the_state_machine_left_it_out(
    status: str, says: str, logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = service()
    task = tasks.start(ADA, profile, {})

    for _ in range(2):
        ExecutionOutcomes(tasks=tasks, tools=Toolbox([profile])).ended(ADA.owner_key, task.id, status)

    assert tasks.outcome(ADA, task.id) == Failed(code=-32603, message=says)
    found = [(vars(each)["task"], vars(each)["fallback"]) for each in caplog.records if "fallback" in vars(each)]
    assert found == [(task.id, "ended_by_event")] * logged
