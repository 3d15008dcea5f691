"""What auditors are told of tasks and requests, by the deployed functions: each event, whose it is, and no more."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mcp_tasks.authoring.errors import McpError
from tests.harness.audited import audited as audited
from tests.harness.audited import events
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA, BOB

SECRET = "not for any record"


def test_a_task_is_told_from_its_creation_to_its_end(tasks: DeployedTasks, audited: list[dict[str, Any]]) -> None:
    task = tasks.start("frail", deaths=0, error=SECRET)
    tasks.harness.run_until_idle()

    of_task = [each for each in events(audited, "task.") if each["event"] != "task.read"]
    assert [each["event"] for each in of_task] == ["task.created", "task.started", "task.finished"]
    assert {(each["tenant"], each["subject"], each["task"]) for each in of_task} == {(ADA.tenant, ADA.subject, task.id)}
    assert SECRET not in json.dumps(audited, default=str)


def test_the_client_and_who_acts_are_told_beside_the_subject_where_the_token_names_them(
    tasks: DeployedTasks, audited: list[dict[str, Any]]
) -> None:
    console = replace(ADA, client_id="console", actor={"sub": "agent", "act": {"sub": "earlier"}})
    task = tasks.start("frail", as_caller=console, deaths=0)
    assert tasks.client(console).get_task(task.id).status == "completed"
    assert tasks.client(ADA).get_task(task.id).status == "completed"

    assert [each.get("client") for each in events(audited, "task.created")] == ["console"]
    assert [each.get("client") for each in events(audited, "task.read")] == ["console", None]
    assert [each.get("actor") for each in events(audited, "task.created")] == ["agent"]
    assert [each.get("actor") for each in events(audited, "task.read")] == ["agent", None]
    assert [each.get("actors") for each in events(audited, "task.read")] == [["agent", "earlier"], None]
    finished = events(audited, "task.finished")
    assert {(each.get("client"), each.get("actor"), each["plan"]) for each in finished} == {(None, None, "default")}


def test_who_reads_a_task_is_told_and_whether_its_outcome_was_read(
    tasks: DeployedTasks, audited: list[dict[str, Any]]
) -> None:
    client = tasks.client()
    task = client.start_task("slow", {"steps": 1})
    client.get_task(task.id)
    tasks.advance(minutes=1)
    client.task_result(task.id)

    read = events(audited, "task.read")
    # A client asks what became of the task before it reads the result: in one revision that answer has the outcome.
    assert [each["outcome_read"] for each in read] in ([False, False, True], [False, True, True])
    assert {(each["task"], each["subject"], each["revision"]) for each in read} == {
        (task.id, ADA.subject, tasks.revision)
    }
    assert all(each["method"].startswith("tasks/") for each in read)


def test_whoever_asks_for_a_task_that_is_not_theirs_is_told_as_refused_without_its_id(
    tasks: DeployedTasks, audited: list[dict[str, Any]]
) -> None:
    task = tasks.start("frail", deaths=0)
    for named in (task.id, SECRET):
        with suppress(McpError):
            tasks.client(BOB).get_task(named)

    refused = events(audited, "request.refused")
    assert [(each["subject"], each["reason"]) for each in refused] == 2 * [(BOB.subject, "unknown_task")]
    assert not [each for each in refused if "task" in each]
    assert not [each for each in events(audited, "task.read") if each["subject"] == BOB.subject]


def test_whoever_is_told_that_there_is_no_such_task_by_the_built_in_tool_is_refused_too(
    tasks: DeployedTasks, audited: list[dict[str, Any]]
) -> None:
    tasks.connect(BOB, tasks=False).call_tool("task_result", {"task_id": SECRET})

    (refused,) = events(audited, "request.refused")
    assert (refused["reason"], refused["method"]) == ("unknown_task", "tools/call")
    assert SECRET not in json.dumps(audited, default=str)
