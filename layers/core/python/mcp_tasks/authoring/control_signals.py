"""Control signals: raised within a tool to end its run before the function returns.

ControlSignal
├── TaskCancelled         the task is final: it was cancelled, as a rule
├── ContinueAsTask        the rest of the run is the work of a task, which replays the function
├── InputNeeded           an input request has no response yet; the function is replayed once it has
├── Sleeping              the task sleeps; the function is replayed when it wakes
├── NonDeterminismError   a replay made other input requests than the run before
├── BadInputResponse      the client's response does not fit the input request
└── Interrupted           the store failed, so that the run has to be repeated

They are not `Exception`s, so that a tool's own `except Exception` does not swallow them, and one that is caught all the
same ends the run when the function returns (`engine/watched_journal.py`).  The methods of the context
raise them; one that an adopter's code raises itself is a failure of that code (`is_from_context`).
"""

from collections.abc import Sequence
from datetime import datetime

from mcp_tasks.tasks.model import InputRequest


class ControlSignal(BaseException):
    """Ends a run; the runner catches it."""


def is_from_context(signal: ControlSignal) -> bool:
    """Return whether a method of the context raised the signal, or one that was being handled when this was raised."""
    raised: BaseException | None = signal
    while isinstance(raised, ControlSignal):
        if _raised_in(raised).startswith("mcp_tasks."):
            return True
        raised = raised.__context__
    return False


def _raised_in(signal: ControlSignal) -> str:
    """Return the name of the module whose code raised the signal."""
    traceback = signal.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return "" if traceback is None else str(traceback.tb_frame.f_globals.get("__name__"))


class TaskCancelled(ControlSignal):
    """The task was cancelled or is otherwise final: clean up, and let this propagate."""


class ContinueAsTask(ControlSignal):
    """The inline part of a call ends; a task replays the function and does the rest."""


class InputNeeded(ControlSignal):
    """The run needs responses to these input requests."""

    def __init__(self, input_requests: Sequence[InputRequest]) -> None:
        super().__init__(", ".join(input_request.key for input_request in input_requests))
        self.input_requests = tuple(input_requests)


class Sleeping(ControlSignal):
    """The task sleeps until `wakes_at`."""

    def __init__(self, wakes_at: datetime) -> None:
        super().__init__(wakes_at.isoformat())
        self.wakes_at = wakes_at


class NonDeterminismError(ControlSignal):
    """A replay made other input requests than the run before: answers would go to the wrong ones."""

    def __init__(self, before: str, now: str) -> None:
        """Say which key the run before used at this place, and which this run uses."""
        super().__init__(
            f"it asked {before!r} the last time and now {now!r} instead; run again, a tool must make the same input"
            " requests in the same order, by keys that depend on neither time nor chance: put what varies into a step"
        )
        self.before = before
        self.now = now


class BadInputResponse(ControlSignal):
    """The client's response does not fit the input request."""

    def __init__(self, key: str, reason: str) -> None:
        """Name the key of the input request, and what is wrong with the response."""
        super().__init__(f"the answer to {key!r} does not fit: {reason}")
        self.key = key
        self.reason = reason


class Interrupted(ControlSignal):
    """The store failed, through no fault of the tool: the run is repeated."""
