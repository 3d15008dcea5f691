"""Who acts on behalf of a caller is told to tools and kept with tasks, which are the caller's all the same."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.authoring.context import Context
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import tool
from mcp_tasks.tasks.model import Returned
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, client

AGENT = {"sub": "agent", "act": {"sub": "planner"}}
ACTED_FOR = replace(ADA, actor=AGENT)

in_both = pytest.mark.parametrize("revision", REVISIONS)


@tool(tasks="always")
def work(context: Context) -> str:
    """Say who acts, in a task."""
    return json.dumps(context.caller.actor)


@tool(tasks="never")
def answer(context: Context) -> str:
    """Say who acts, in a call."""
    return json.dumps(context.caller.actor)


@tool(join_within=timedelta(seconds=30))
def bake() -> str:
    """Take long; a repeated call joins the first."""
    return "One cake"


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of([work, answer, bake]))


@requirement("A-TASK-42", "B-AUTH-2")
@in_both
def test_a_task_is_run_with_the_actor_of_the_request_that_created_it(harness: Harness, revision: str) -> None:
    task_id = client(revision, harness, ACTED_FOR).start("work")
    harness.run(task_id)

    ended = harness.tasks.outcome(ADA, task_id)
    assert isinstance(ended, Returned)
    assert json.loads(ended.result["content"][0]["text"]) == AGENT
    assert harness.tasks.get(ADA, task_id).actor == AGENT


@requirement("A-TASK-42", "B-AUTH-2")
@in_both
def test_a_call_that_is_no_task_knows_its_actor(harness: Harness, revision: str) -> None:
    called = {who: client(revision, harness, who).call("answer")["content"][0]["text"] for who in (ADA, ACTED_FOR)}

    assert {who: json.loads(text) for who, text in called.items()} == {ADA: None, ACTED_FOR: AGENT}


@requirement("A-TASK-42", "B-AUTH-2")
@in_both
def test_a_task_is_the_callers_whoever_acts(harness: Harness, revision: str) -> None:
    task_id = client(revision, harness, ACTED_FOR).start("work")

    read = client(revision, harness, ADA).send_request("tasks/get", {"taskId": task_id})
    assert read.status == 200
    assert "error" not in read.response
    assert "agent" not in json.dumps(read.response)


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_call_joins_no_task_that_somebody_else_acts_in(harness: Harness, revision: str) -> None:
    harness.idle = True
    for caller in (ADA, ADA, ACTED_FOR, ACTED_FOR, replace(ADA, actor={"sub": "another"})):
        client(revision, harness, caller, knows_tasks=False).call("bake")

    assert len(harness.executor.started) == 3
