"""The built-in tool `task_list`, page by page."""

from datetime import timedelta

import pytest

from mcp_tasks.engine.task_tools import TASK_LIST
from mcp_tasks.tasks.model import JSON
from tests.kit import ADA, EVE
from tests.unit.jobs import DAY, job
from tests.unit.test_task_tools import OneTask, structured, words


def test_the_list_ends_after_twenty_tasks() -> None:
    one_task = OneTask()
    for _ in range(25):
        one_task.clock.advance(timedelta(seconds=1))
        last = one_task.tasks.start(ADA, job, {})

    shown = structured(one_task.call(TASK_LIST))["tasks"]

    assert (len(shown), shown[0]["task_id"]) == (20, last.id)


def test_who_has_no_tasks_reads_that_there_are_none() -> None:
    assert words(OneTask().call(TASK_LIST, EVE)) == "There are no tasks."


def test_the_list_goes_on_where_its_page_ended() -> None:
    one_task = OneTask()
    ids = [one_task.task.id, *(one_task.tasks.start(ADA, job, {}, ttl=DAY).id for _ in range(4))]

    pages = [structured(one_task.call(TASK_LIST, limit=2))]
    while cursor := pages[-1].get("next_cursor"):
        pages.append(structured(one_task.call(TASK_LIST, limit=2, cursor=cursor)))

    assert [page["next_step"].splitlines()[1:] for page in pages] == [
        *([f"There may be more: call task_list again, with the cursor {page['next_cursor']}."] for page in pages[:-1]),
        [],
    ]
    listed = [[each["task_id"] for each in page["tasks"]] for page in pages]
    assert [len(page) for page in listed] == [2, 2, 1]
    assert [task_id for page in listed for task_id in page] == sorted(ids, reverse=True)


@pytest.mark.parametrize("cursor", ["", "no id", "../x", "~", "A", "0" * 65, "é", 7, None, ["0"]])
def test_a_cursor_that_is_none_is_rejected(cursor: JSON) -> None:
    assert "give no arguments" in words(OneTask().call(TASK_LIST, cursor=cursor))


@pytest.mark.parametrize("limit", [0, -1, 101, 1.5, True, "2", None])
def test_a_limit_that_is_none_is_rejected(limit: JSON) -> None:
    assert "a limit up to 100" in words(OneTask().call(TASK_LIST, limit=limit))


def test_a_cursor_of_somebody_else_shows_nothing_of_theirs() -> None:
    one_task = OneTask()

    shown = structured(one_task.call(TASK_LIST, EVE, cursor="v" * 36))

    assert shown["tasks"] == []
