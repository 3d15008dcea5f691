"""A model of Step Functions that runs `run_tool`: a run, a wait for the task token if it needs input, and the next.

It is the client that the executor talks to; what Step Functions does by itself, a test has it do, a state at a time.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from math import ceil
from typing import Any

from botocore.exceptions import ClientError

from tests.kit import FixedClock

ARN = "arn:aws:states:eu-west-1:123456789012:stateMachine:stage-run_tool"


class Place(Enum):
    """The state that an execution is in."""

    RUN = "run"
    SUSPEND = "suspend"
    WAIT = "wait"


@dataclass(slots=True, kw_only=True)
class Execution:
    """One execution: its state, and while it waits, its task token and timeout."""

    input: str
    status: str = "RUNNING"
    place: Place = Place.RUN
    timeout: timedelta = timedelta()
    token: str | None = None
    until: datetime | None = None
    ran_at: datetime | None = None
    late: timedelta = timedelta()
    """How long after its runs it began to wait, of all its waits: each of them ends as much later."""
    runs: int = 0
    tokens: list[str] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, str]:
        """Return the owner key and the id of its task."""
        named = json.loads(self.input)
        return named["scope"], named["task"]


@dataclass(slots=True, kw_only=True)
class Machine:
    """All executions; `down` is an outage, and `rejects_ended` says that what has ended cannot be stopped again."""

    clock: FixedClock
    down: bool = False
    rejects_ended: bool = False
    executions: dict[str, Execution] = field(default_factory=dict)

    # --- the calls of the executor

    def start_execution(self, *, stateMachineArn: str, name: str, input: str) -> dict[str, Any]:
        self._must_be_up()
        known = self.executions.get(name)
        if known is not None and (known.status != "RUNNING" or known.input != input):
            raise _rejection("ExecutionAlreadyExists")
        self.executions.setdefault(name, Execution(input=input))
        return {}

    def stop_execution(self, *, executionArn: str, cause: str) -> dict[str, Any]:
        self._must_be_up()
        if self.rejects_ended and self._named(executionArn).status != "RUNNING":
            raise _rejection("ValidationException")
        self._end(self._named(executionArn), "ABORTED")
        return {}

    def describe_execution(self, *, executionArn: str) -> dict[str, Any]:
        self._must_be_up()
        found = self._named(executionArn)
        return {"status": found.status, "input": found.input}

    def list_executions(self, *, stateMachineArn: str) -> dict[str, Any]:
        found = self.executions.items()
        return {"executions": [{"name": name, "status": execution.status} for name, execution in found]}

    def send_task_success(self, *, taskToken: str, output: str) -> dict[str, Any]:
        self._must_be_up()
        for execution in self.executions.values():
            if execution.token == taskToken:
                self._go(execution, Place.RUN)
                return {}
        raise _rejection("TaskTimedOut")

    # --- what it does by itself

    def step(
        self,
        name: str,
        *,
        run: Callable[[str, str], timedelta | None],
        suspend: Callable[[str, str, str], None],
    ) -> None:
        """Do what comes next; where that raises, it is what comes next again, with a new token."""
        execution = self.executions[name]
        match execution.place:
            case _ if execution.status != "RUNNING":
                return
            case Place.RUN:
                execution.runs += 1
                number = execution.runs
                timeout = run(*execution.names)
                # A run that another one has overtaken was given up: its result is ignored.
                if execution.runs == number and execution.place is Place.RUN:
                    self.ran(name, timeout)
            case Place.SUSPEND:
                token = self.send_token(name)
                try:
                    suspend(*execution.names, token)
                except BaseException:
                    if execution.token == token:
                        self._go(execution, Place.SUSPEND)
                    raise
            case Place.WAIT:
                self.time_out(name)

    def ran(self, name: str, timeout: timedelta | None) -> None:
        """Take what a run answered, unless the execution has ended meanwhile."""
        execution = self.executions[name]
        if execution.status != "RUNNING":
            return
        if timeout is None:
            self._end(execution, "SUCCEEDED")
        else:
            execution.timeout = timedelta(seconds=max(1, ceil(timeout.total_seconds())))
            execution.ran_at = self.clock.now()
            self._go(execution, Place.SUSPEND)

    def send_token(self, name: str) -> str:
        """Begin to wait for a new task token."""
        execution = self.executions[name]
        execution.token = f"{name}-{len(execution.tokens)}"
        execution.tokens.append(execution.token)
        execution.place, execution.until = Place.WAIT, self.clock.now() + execution.timeout
        execution.late += self.clock.now() - (execution.ran_at or self.clock.now())
        return execution.token

    def time_out(self, name: str) -> None:
        """Go on without the token if its time is over."""
        execution = self.executions[name]
        if execution.until is not None and execution.until <= self.clock.now():
            self._go(execution, Place.RUN)

    def _go(self, execution: Execution, place: Place) -> None:
        execution.place, execution.token, execution.until = place, None, None

    def _end(self, execution: Execution, status: str) -> None:
        if execution.status == "RUNNING":
            execution.status, execution.token = status, None

    def _named(self, arn: str) -> Execution:
        try:
            return self.executions[arn.rpartition(":")[2]]
        except KeyError:
            raise _rejection("ExecutionDoesNotExist") from None

    def _must_be_up(self) -> None:
        if self.down:
            raise _rejection("ThrottlingException")


def _rejection(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": ""}}, "any")
