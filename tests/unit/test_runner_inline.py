"""A tool without a task runs and fails as it does with one."""

from mcp_tasks import Context, tool
from mcp_tasks.features.tools import failure
from mcp_tasks.runner import run_inline
from tests.deaf_journal import DEAF
from tests.kit import ADA
from tests.unit.workbench import text

INLINE = Context(caller=ADA, journal=DEAF)


def test_a_tool_without_a_task_runs_for_whoever_waits() -> None:
    def job(context: Context) -> str:
        return f"{context.caller.subject} {context.task_id} {context.attempt}"

    assert run_inline(tool()(job), {}, INLINE) == text("ada None 1")


def test_a_tool_without_a_task_fails_in_the_same_words() -> None:
    def job(name: str) -> str:
        return name

    assert run_inline(tool()(job), {}, INLINE) == failure("job was called with wrong arguments: name is missing")
