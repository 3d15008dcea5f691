"""The journal of a function that starts within a call and may go on as a task, from a line of its own choice."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_tasks.authoring.control_signals import ControlSignal
from mcp_tasks.authoring.errors import URL_REQUIRED
from mcp_tasks.engine.lifecycle import Begun
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import Faulted, InputRequest, InputResponse, Outcome
from mcp_tasks.wire.inline import InlineJournal


def answers_call(tool: Tool, outcome: Outcome) -> bool:
    """Tell whether an outcome that came before there is a task answers the call, rather than end a task at its birth.

    That a URL has to be visited always does: the call can be made again, and a task cannot.
    """
    return tool.tasks == "allowed" or (isinstance(outcome, Faulted) and outcome.code == URL_REQUIRED)


class BecomesTask(ControlSignal):
    """The rest of the run is the work of a task, which runs the function again from the top."""

    def __init__(self, begun: Begun) -> None:
        """Keep what the task begins with."""
        super().__init__()
        self.begun = begun


@dataclass(slots=True, kw_only=True)
class Preflight(InlineJournal):
    """See `Journal`."""

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return what earlier rounds brought, or end this one; the task will take the answers as they are here."""
        self.check(input_requests)
        return InlineJournal.request_input(self, input_requests)

    def continue_as_task(self) -> None:
        """End the run within the call."""
        raise BecomesTask(self.begun())
