"""A helper that runs the template's state machines on the harness's clock with handlers of the test's own."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks.run_host.ticket_runner import suspended
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.harness import Harness

TASK = {"scope": "acme#ada", "task": "t1"}


@dataclass(slots=True, kw_only=True)
class MachineRun:
    """One execution, and what its machine records of it."""

    harness: Harness
    recorded: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[int, float]] = field(default_factory=list)
    suspended: list[tuple[str, float]] = field(default_factory=list)
    arn: str = ""

    def runs(self, tool: Callable[[], Any]) -> None:
        """Run this for `run_tool`, and record each attempt with the seconds that have passed."""
        passed = self._stopwatch()

        def run_tool(event: dict[str, Any], context: object) -> Any:
            self.calls.append((event["attempt"], passed()))
            end = tool() or {"asked": False}
            return suspended(event, end["seconds"]) if end["asked"] else end

        self.harness.replace("run_tool", run_tool)

    def suspends(self, suspend: Callable[[str], None] = lambda token: None) -> None:
        """Run this for `suspend_task`, and record each token with the seconds that have passed."""
        passed = self._stopwatch()

        def suspend_task(event: dict[str, Any], context: object) -> None:
            assert event == {**TASK, "token": event["token"]}
            self.suspended.append((event["token"], passed()))
            suspend(event["token"])

        self.harness.replace("suspend_task", suspend_task)

    def send_task_success(self, token: str) -> None:
        """Resume a suspended execution."""
        client("stepfunctions").send_task_success(taskToken=token, output="{}")
        self.harness.clock.run_until_idle()

    @property
    def tokens(self) -> list[str]:
        """The task tokens so far, in their order."""
        return [token for token, _ in self.suspended]

    def start(
        self, machine: str, *, timeout: int = 60, name: str = "t1", ticket: str | None = "ticket", **arguments: Any
    ) -> None:
        request = {**TASK, "timeout": timeout, "arguments": arguments} | ({"ticket": ticket} if ticket else {})
        (state_machine,) = (
            arn for arn in self.harness.template.arns("AWS::StepFunctions::StateMachine") if arn.endswith(machine)
        )
        started = client("stepfunctions").start_execution(
            stateMachineArn=state_machine, name=name, input=json.dumps(request)
        )
        self.arn = started["executionArn"]
        self.harness.clock.run_until_idle()

    def stop(self) -> None:
        client("stepfunctions").stop_execution(executionArn=self.arn)
        self.harness.clock.run_until_idle()

    def advance(self, **duration: float) -> None:
        self.harness.clock.advance(self.harness.clock.now() + timedelta(**duration))

    @property
    def status(self) -> str:
        return str(client("stepfunctions").describe_execution(executionArn=self.arn)["status"])

    def _stopwatch(self) -> Callable[[], float]:
        began = self.harness.clock.now()
        return lambda: (self.harness.clock.now() - began).total_seconds()

    def record(self, event: dict[str, Any], context: object) -> None:
        self.recorded.append(event)
