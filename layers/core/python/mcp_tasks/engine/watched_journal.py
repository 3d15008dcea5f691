"""Remembers that a run has to end, for tools whose code keeps the control signal from ending it."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, cast

from mcp_tasks.authoring.control_signals import ControlSignal, is_from_context
from mcp_tasks.authoring.journal import Journal
from mcp_tasks.tasks.model import InputRequest, InputResponse


class WatchedJournal:
    """A journal in all else, which keeps the first control signal that one of its methods raised.

    An `except BaseException` catches it, `asyncio.gather(..., return_exceptions=True)` returns it, and in a thread of
    the tool's own it ends that thread alone.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.signal: ControlSignal | None = None

    @property
    def watched(self) -> Journal:
        """This journal, for a type checker, which does not see that it has all the methods."""
        return cast(Journal, self)

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return the responses, unless the run has to end: what it would request now, its replay requests."""
        if self.signal is not None:
            raise self.signal
        return cast(Sequence[InputResponse], self._watching(self._journal.request_input)(input_requests))

    def __getattr__(self, name: str) -> Any:
        """Return what the journal has by this name; what its methods raise is kept."""
        found = getattr(self._journal, name)
        return self._watching(found) if callable(found) else found

    def _watching(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def watching(*args: Any, **more: Any) -> Any:
            try:
                return method(*args, **more)
            except ControlSignal as signal:
                # One that the tool raised itself, within a step, is a failure of the tool.
                if self.signal is None and is_from_context(signal):
                    self.signal = signal
                raise

        return watching
