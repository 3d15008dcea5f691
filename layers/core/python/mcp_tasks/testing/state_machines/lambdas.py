"""The functions under test: real handlers, called the way Lambda calls them (JSON in, JSON or a named error out)."""

import json
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from mcp_tasks.testing.state_machines.clock import HarnessClock
from mcp_tasks.testing.state_machines.environment import paused

Handler = Callable[[Any, Any], Any]


class FunctionDied(KeyboardInterrupt):
    """Raise it anywhere below a handler: its process is gone, and Lambda reports `error_type`.

    An interrupt, because that is what no tool and no catch-all keeps to itself.
    """

    def __init__(self, error_type: str = "Runtime.ExitError", message: str = "signal: killed") -> None:
        """Raise Lambda's error for a process that was killed, unless another one is given."""
        super().__init__(message)
        self.error_type = error_type


class HarnessClosed(KeyboardInterrupt):
    """Raised in handlers that still sleep when the test is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The context of an invocation that Lambda passes to a handler."""

    function_name: str
    aws_request_id: str
    invoked_function_arn: str
    memory_limit_in_mb: int = 512


@dataclass(slots=True, kw_only=True)
class Lambdas:
    """The handlers by function name, and the `Clock` that they go by.

    They take turns: one runs while the others sleep, because moto's tables have no locks.
    """

    clock: HarnessClock
    handlers: dict[str, Handler] = field(default_factory=dict)
    closed: bool = False
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _mine: threading.local = field(default_factory=threading.local)

    def invoke(self, name: str, event: Any) -> tuple[str, bool]:
        """Call the handler; returns its payload, and whether that describes an error."""
        if getattr(self._mine, "turn", False):
            # A function invokes another one, and waits for it.
            return self._called(name, event)
        with self._turn:
            self._mine.turn = True
            try:
                return self._called(name, event)
            finally:
                self._mine.turn = False

    def _called(self, name: str, event: Any) -> tuple[str, bool]:
        try:
            return json.dumps(self.handlers[name](json.loads(json.dumps(event)), function_context(name))), False
        except FunctionDied as death:
            return json.dumps({"errorType": death.error_type, "errorMessage": f"Error: {death}"}), True
        except (Exception, HarnessClosed) as error:  # noqa: BLE001  (Lambda's own catch-all)
            return json.dumps(failure(error)), True

    def now(self) -> datetime:
        """Return the harness's time."""
        return self.clock.now()

    def sleep(self, duration: timedelta) -> None:
        """Sleep in a handler on the harness's clock, while others take their turn."""
        if self.closed:
            raise HarnessClosed
        if not getattr(self._mine, "turn", False):
            # A thread that a handler started has no turn to give up.
            self.clock.sleep(duration, until=lambda: self.closed)
            return
        with paused():
            self._turn.release()
            try:
                self.clock.sleep(duration, until=lambda: self.closed)
            finally:
                self._turn.acquire()
        if self.closed:
            raise HarnessClosed

    @contextmanager
    def own_sleep(self) -> Iterator[None]:
        """Let handlers that sleep by `time.sleep` sleep on the harness's clock."""
        sleep = time.sleep

        def sleep_on_harness_clock(seconds: float) -> None:
            if getattr(self._mine, "turn", False):
                self.sleep(timedelta(seconds=seconds))
            else:
                sleep(seconds)

        with patch.object(time, "sleep", sleep_on_harness_clock):
            yield

    def close(self) -> None:
        """Wake all sleepers for the last time."""
        self.closed = True
        self.clock.notify()


def failure(error: BaseException) -> Mapping[str, Any]:
    """Describe an error as Lambda's runtime does."""
    return {
        "errorMessage": str(error),
        "errorType": type(error).__name__,
        "stackTrace": traceback.format_tb(error.__traceback__),
    }


def function_name(named: str) -> str:
    """Return the name of the function that a template names: by that or its ARN, and maybe with its alias."""
    return named.rpartition(":function:")[2].partition(":")[0]


def function_context(name: str) -> Context:
    """Return the context of a new invocation of a function."""
    arn = f"arn:aws:lambda:us-east-1:123456789012:function:{name}"
    return Context(function_name=name, aws_request_id=str(uuid4()), invoked_function_arn=arn)
