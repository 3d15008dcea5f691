"""`make serve`: a tool's timeout ends its task as it does on AWS, though not the tool's thread."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.rev_2025_11_25.over_http import client as old_client
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.serving import serving
from tests.timeout import until

SLOW = """
from datetime import timedelta
from pathlib import Path
from time import sleep

from mcp_tasks import Context, TaskCancelled, tool


@tool(timeout=timedelta(seconds=0.5), handle_after=timedelta())
def slow(ended: str, context: Context) -> str:
    '''Work until told that nobody waits any more.'''
    try:
        while True:
            context.report_progress(1)
            sleep(0.02)
    except TaskCancelled:
        Path(ended).touch()
        raise


TOOLS = [slow]
"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "slow_tools.py").write_text(SLOW)
    with serving("--tools", "slow_tools", folder=tmp_path) as printed:
        yield printed["url"]


def test_a_task_that_takes_too_long_fails_in_both_revisions_and_its_tool_is_told(url: str, tmp_path: Path) -> None:
    old, new = old_client(url), new_client(url)
    old.initialize()
    task_id, other_id = old.start("slow", ended=str(tmp_path / "old")), new.start("slow", ended=str(tmp_path / "new"))
    until(lambda: old.result("tasks/get", taskId=task_id)["status"] == "failed")
    until(lambda: new.tasks_get(other_id)["status"] == "failed")

    answer, _ = old.outcome(task_id)
    assert answer["error"]["message"] == "The work did not end in time."
    assert new.tasks_get(other_id)["error"]["message"] == "The work did not end in time."
    until(lambda: (tmp_path / "old").exists() and (tmp_path / "new").exists())
