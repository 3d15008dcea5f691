"""Calls of tools with a preflight: the function starts within the call, and may ask in rounds before it is a task.

"Servers [...] SHOULD resolve all MRTR exchanges synchronously before responding with a CreateTaskResult."
    -- ext-tasks 2026-07-28, Task Creation
"""

from collections.abc import Callable, Mapping

from mcp_tasks.authoring.context import Context
from mcp_tasks.engine.lifecycle import Begun
from mcp_tasks.engine.runner import run_inline
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Outcome
from mcp_tasks.wire import extension
from mcp_tasks.wire.preflight import BecomesTask, Preflight, answers_call
from mcp_tasks.wire.rev_2026_07_28 import mrtr, render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed

Start = Callable[[Begun, Outcome | None], Mapping[str, JSON]]


def play(call: Call, tool: Tool, arguments: Mapping[str, JSON], start: Start) -> Answer:
    """Run the preflight, and `start` the task that goes on from it, or that its outcome is the end of."""

    def run(context: Context) -> Mapping[str, JSON]:
        try:
            outcome = run_inline(tool, arguments, context)
        except BecomesTask as becoming:
            return start(becoming.begun, None)
        if answers_call(tool, outcome):
            return render.outcome(outcome)
        # Should its settling be lost, the task runs from here, and does no step again.
        assert isinstance(context.journal, Preflight)
        return start(context.journal.begun(), outcome)

    answer = mrtr.play(call, run, Preflight)
    # "`notifications/progress` and `notifications/message` [...] are not supported on tasks"
    #     -- ext-tasks 2026-07-28, Task Status Notifications
    if isinstance(answer, Streamed) and extension.is_handle(answer.result):
        return answer.result
    return answer
