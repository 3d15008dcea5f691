"""What ends a run before the tool itself does.

ControlSignal
├── TaskCancelled    nobody waits for the outcome any more
├── ContinueAsTask   the rest of the run is the work of a task, which runs the tool again
├── InputNeeded           the client has to answer first; then the tool runs again from the top
├── NonDeterminismError   run again, the tool did not ask what it had asked before
├── BadInputResponse        what the client answered is no answer to the input request
└── Interrupted      the store failed the run

Not `Exception`s, so that a tool's own `except Exception` does not swallow them.
"""

from collections.abc import Sequence

from mcp_tasks.tasks.model import InputRequest


class ControlSignal(BaseException):
    """The run ends here."""


class TaskCancelled(ControlSignal):
    """Nobody waits for the outcome any more: clean up and let this pass."""


class ContinueAsTask(ControlSignal):
    """The rest of the run is the work of a task, which runs the tool's function again."""


class InputNeeded(ControlSignal):
    """These input requests have no answer yet."""

    def __init__(self, input_requests: Sequence[InputRequest]) -> None:
        """Keep the input requests."""
        super().__init__(", ".join(input_request.key for input_request in input_requests))
        self.input_requests = tuple(input_requests)


class NonDeterminismError(ControlSignal):
    """Two runs of one call did not ask the same, so that answers would be given to the wrong input requests."""

    def __init__(self, before: str, now: str) -> None:
        """Name both input requests by their keys."""
        super().__init__(
            f"it asked {before!r} the last time and now {now!r} instead; run again, a tool must make the same input"
            " requests in the same order, by keys that depend on neither time nor chance: put what varies into a step"
        )


class BadInputResponse(ControlSignal):
    """The client's answer does not fit the input request."""

    def __init__(self, key: str, reason: str) -> None:
        """Name the input request and what is wrong with its answer."""
        super().__init__(f"the answer to {key!r} does not fit: {reason}")
        self.key = key
        self.reason = reason


class Interrupted(ControlSignal):
    """The store failed the run: no fault of the tool's."""
