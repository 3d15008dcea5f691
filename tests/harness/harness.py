"""The harness itself: the deployed template, the clock, and what AWS would carry from one to the other."""

import gc
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TypeVar
from unittest.mock import patch

import boto3
from moto import mock_aws

from mcp_tasks import aws
from mcp_tasks.testing.state_machines.clock import HarnessClock
from mcp_tasks.testing.state_machines.handlers import load
from mcp_tasks.testing.state_machines.lambdas import Handler, Lambdas
from mcp_tasks.testing.state_machines.moto_patches import patched_moto
from mcp_tasks.testing.state_machines.moto_services import once_for_each_service
from mcp_tasks.testing.state_machines.resources import STATE_MACHINE, client, make_resources, refused
from mcp_tasks.testing.state_machines.template import Template
from mcp_tasks.testing.state_machines.threads import threads_of
from tests.harness.deliveries import Deliveries
from tests.harness.event_invocations import event_invocations
from tests.harness.events import EndedExecutions, TableChanges
from tests.harness.table import HarnessTable
from tests.moto_items import quick_items

T = TypeVar("T")

# Made once for all tests: it takes longer than most tests do, and moto sees their calls whenever it is on.
CLIENTS_OF_STATES = once_for_each_service(boto3.client)
CLIENTS_OF_FUNCTIONS = cache(aws.client.__wrapped__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """A deployed server whose time stands still between `advance` and `advance`."""

    clock: HarnessClock
    lambdas: Lambdas
    template: Template
    table: HarnessTable
    deliveries: Deliveries

    def advance(self, duration: timedelta) -> None:
        """Advance the time, and deliver everything that falls due at its moment."""
        target = self.clock.now() + duration
        self.run_until_idle()
        while (moment := self.next_deadline()) is not None and moment <= target:
            self.move(moment)
        self.move(target)

    def next_deadline(self) -> datetime | None:
        """Return the first moment at which something falls due."""
        return min(filter(None, (self.clock.next_deadline(), self.deliveries.next_sweep())), default=None)

    def move(self, moment: datetime) -> None:
        """Set the time to `moment`, which must not be past the next deadline."""
        self.clock.move(moment)
        self.run_until_idle()

    def run_until_idle(self) -> None:
        """Run until nothing is left to happen at this moment."""
        self.clock.run_until_idle()
        while self.deliveries.deliver():
            self.clock.run_until_idle()

    def replace(self, folder: str, handler: Handler) -> Handler:
        """Put another handler in the place of that of `functions/<folder>`, which is returned."""
        (name,) = (
            name
            for name, function in self.template.ours("AWS::Lambda::Function")
            if function["Handler"] == f"functions.{folder}.handler.handler"
        )
        before, self.lambdas.handlers[name] = self.lambdas.handlers[name], handler
        return before

    def meanwhile(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` in a thread of the harness, while the test advances the time."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  (for whoever asks for the result)
                future.set_exception(error)

        threads_of(self.clock).Thread(target=run, name="meanwhile").start()
        self.run_until_idle()
        return future

    def expire(self) -> None:
        """Let DynamoDB delete what has expired."""
        self.table.expire(self.clock.now())
        self.run_until_idle()


@contextmanager
def deployed(template: Template, variables: Mapping[str, str]) -> Iterator[Harness]:
    """Set up the harness for the length of a test; `variables` override those of the functions."""
    clock = HarnessClock()
    lambdas = Lambdas(clock=clock)
    with (
        mock_aws(config={"stepfunctions": {"execute_state_machine": True}}),
        quick_items(),
        patched_moto(clock, lambdas.invoke, CLIENTS_OF_STATES),
        patch.object(aws, "client", CLIENTS_OF_FUNCTIONS),
        event_invocations(lambdas),
        lambdas.own_sleep(),
        patch.object(aws, "clock", lambdas),
    ):
        reasons = make_resources(template)
        lambdas.handlers, environment = load(template, variables)
        with patch.dict(os.environ, environment), refused(reasons), _uncollected():
            harness = _harness(template, lambdas, reasons)
            try:
                yield harness
            finally:
                _close(harness)


def _harness(template: Template, lambdas: Lambdas, reasons: Mapping[str, str]) -> Harness:
    machines = [arn for arn in template.arns(STATE_MACHINE) if arn.rpartition(":")[2] not in reasons]
    table = HarnessTable.of(template)
    deliveries = Deliveries(
        lambdas=lambdas,
        template=template,
        table=table,
        changes=TableChanges(template.stream(table.name)),
        execution_outcomes=EndedExecutions(machines, lambdas.clock),
    )
    return Harness(clock=lambdas.clock, lambdas=lambdas, template=template, table=table, deliveries=deliveries)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Exempt what exists by now from garbage collection: each run begins with one, 0.2 s for all that tests import."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _close(harness: Harness) -> None:
    step_functions = client("stepfunctions")
    for execution in harness.deliveries.execution_outcomes.all():
        if execution["status"] == "RUNNING":
            step_functions.stop_execution(executionArn=execution["executionArn"])
    harness.lambdas.close()
    harness.clock.run_until_idle()
