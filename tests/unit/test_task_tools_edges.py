"""The built-in tools for tasks at the edges of what they take, and all that they say of a task."""

from typing import Any

import pytest

from mcp_tasks.engine.built_in_tools import FollowTask
from mcp_tasks.engine.task_tools import TASK_CANCEL, TASK_LIST, TASK_RESULT
from mcp_tasks.features.results import failure
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import Failed, Outcome, Progress
from tests.kit import ADA, EVE
from tests.unit.jobs import DAY, DONE, job
from tests.unit.test_task_tools import OneTask, structured, words

TASK_ID = {"type": "string", "description": "As returned by the call that took too long."}
WAIT = "How long to wait. Some hosts give up on a call after 5 seconds: give more only if yours does not."


@pytest.mark.parametrize(
    ("name", "properties", "required"),
    [
        (
            TASK_RESULT,
            {
                "task_id": TASK_ID,
                "wait_seconds": {"type": "number", "minimum": 0, "maximum": 20, "default": 3, "description": WAIT},
            },
            {"required": ["task_id"]},
        ),
        (TASK_CANCEL, {"task_id": TASK_ID}, {"required": ["task_id"]}),
        (
            TASK_LIST,
            {
                "cursor": {"type": "string", "description": "The next_cursor of the page before."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            },
            {},
        ),
    ],
)
def test_a_schema_says_all_that_its_tool_takes(name: str, properties: Any, required: Any) -> None:
    usual = {"type": "object", "properties": properties}

    assert OneTask().tools[name].work.input_schema == {**usual, **required}


@pytest.mark.parametrize("seconds", [0, 1, 3, 19.99, 20, 20.0])
def test_a_wait_of_up_to_twenty_seconds_is_one(seconds: float) -> None:
    one_task = OneTask()

    followed = one_task.call(TASK_RESULT, task_id=one_task.task.id, wait_seconds=seconds)

    assert isinstance(followed, FollowTask)
    assert followed.timeout.total_seconds() == seconds


@pytest.mark.parametrize(("limit", "listed"), [(1, 1), (2, 2), (2.0, 2), (99, 3), (100, 3)])
def test_a_page_has_up_to_a_hundred_tasks_as_its_caller_likes(limit: float, listed: int) -> None:
    one_task = OneTask()
    for _ in range(2):
        one_task.tasks.start(ADA, job, {}, ttl=DAY)

    assert len(structured(one_task.call(TASK_LIST, limit=limit))["tasks"]) == listed


@pytest.mark.parametrize("cursor", ["0", "v" * 64])
def test_a_cursor_is_up_to_64_characters_of_an_id(cursor: str) -> None:
    assert "tasks" in structured(OneTask().call(TASK_LIST, cursor=cursor))


def test_the_last_page_names_no_next_one_and_says_what_to_do_with_an_id() -> None:
    one_task = OneTask()

    assert structured(one_task.call(TASK_LIST)).keys() == {"tasks", "next_step"}
    assert structured(one_task.call(TASK_LIST))["next_step"] == "task_result takes a task_id and gives its result."
    assert structured(one_task.call(TASK_LIST, EVE)) == {"tasks": [], "next_step": "There are no tasks."}


@pytest.mark.parametrize(
    ("progress", "shown"),
    [
        (Progress(progress=1), {"progress": 1}),
        (Progress(progress=0, total=0), {"progress": 0, "total": 0}),
        (Progress(progress=1, total=7.5, message="One."), {"progress": 1, "total": 7.5}),
    ],
)
def test_the_list_says_how_far_a_task_is_and_of_how_much_if_that_is_known(
    progress: Progress, shown: dict[str, Any]
) -> None:
    one_task = OneTask()
    one_task.tasks.apply(ADA.owner_key, one_task.task.id, Progressed(progress=progress))

    (listed,) = structured(one_task.call(TASK_LIST))["tasks"]

    assert {name: value for name, value in listed.items() if name in ("progress", "total")} == shown


def test_the_list_says_nothing_of_progress_that_was_not_reported() -> None:
    (listed,) = structured(OneTask().call(TASK_LIST))["tasks"]

    assert listed.keys() == {"task_id", "tool", "status", "created_at", "updated_at", "note"}


@pytest.mark.parametrize(
    ("outcome", "status"),
    [(DONE, "completed"), (failure("no such region"), "failed"), (Failed(code=-32002, message="gone"), "failed")],
)
def test_the_status_of_a_task_that_ended_is_that_of_its_outcome(outcome: Outcome, status: str) -> None:
    one_task = OneTask()
    one_task.finish(outcome)

    assert structured(one_task.call(TASK_LIST))["tasks"][0]["status"] == status
    assert f"job, {status}, created" in words(one_task.call(TASK_LIST))


def test_the_status_of_a_task_that_was_cancelled_is_that() -> None:
    one_task = OneTask()
    one_task.call(TASK_CANCEL)

    assert structured(one_task.call(TASK_LIST))["tasks"][0]["status"] == "cancelled"
