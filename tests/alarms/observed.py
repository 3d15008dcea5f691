"""A server on the harness whose functions CloudWatch observes: their logs, and what Lambda and API Gateway count."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from mcp_tasks.testing.state_machines.lambdas import FunctionDied, Handler, failure
from tests.alarms.cloudwatch import CloudWatch
from tests.harness.harness import Harness
from tests.harness.logs import Lines, kept

SCHEDULED = {"sweep": timedelta(minutes=5), "anchor_audit": timedelta(hours=1)}
"""The functions that a schedule invokes, which the harness leaves out where there is nothing to do."""


class Observed(Lines):
    """Gives CloudWatch what the functions do, with the harness's time."""

    def __init__(self, harness: Harness, cloudwatch: CloudWatch) -> None:
        super().__init__()
        self.harness, self.cloudwatch = harness, cloudwatch
        self.began = harness.clock.now()
        self.scheduled = dict(SCHEDULED)
        self._function = threading.local()
        ((_, api),) = cloudwatch.template.of_type("AWS::ApiGateway::RestApi")
        self.api = {"ApiName": api["Name"]}
        for name, handler in list(harness.lambdas.handlers.items()):
            self.load(name, handler)

    def function(self, folder: str) -> str:
        """Return the name of the function in `functions/<folder>`."""
        return self.cloudwatch.function(folder)

    def load(self, name: str, handler: Handler) -> None:
        """Have a function run a handler from now on."""
        self.harness.lambdas.handlers[name] = self._observing(name, handler)

    def put(self, namespace: str, name: str, value: float = 1, **dimensions: str) -> None:
        """Take a value of a metric of AWS's own."""
        self.cloudwatch.put(self.harness.clock.now(), namespace, name, dimensions, value)

    def went_off(self, *, after: timedelta = timedelta(hours=3)) -> set[str]:
        """Return the alarms that went off until that long after now, when nothing more has happened."""
        ends = self.harness.clock.now() + after
        self.cloudwatch.scheduled(self.began, ends, self.scheduled)
        return self.cloudwatch.went_off(self.began, ends)

    def keep(self, line: str) -> None:
        """Keep a line, which is one of the function's that runs."""
        super().keep(line)
        function = getattr(self._function, "name", None)
        if function is not None:
            self.cloudwatch.log(function, line, self.harness.clock.now())

    def _observing(self, name: str, handler: Handler) -> Handler:
        def observed(event: Any, context: Any) -> Any:
            with self._running(name):
                answer = handler(event, context)
            if isinstance(answer, dict) and "statusCode" in answer:
                self.put("AWS/ApiGateway", "5XXError", answer["statusCode"] >= 500, **self.api)
            return answer

        return observed

    @contextmanager
    def _running(self, name: str) -> Iterator[None]:
        before, self._function.name = getattr(self._function, "name", None), name
        failed = True
        try:
            yield
            failed = False
        except FunctionDied:
            self.keep(json.dumps({"type": "platform.report", "record": {"status": "failure"}}))
            raise
        except Exception as error:
            self.keep(json.dumps({"level": "ERROR", **failure(error)}))
            raise
        finally:
            self.cloudwatch.invoked(name, self.harness.clock.now(), failed=failed)
            self._function.name = before


@contextmanager
def observing(harness: Harness, cloudwatch: CloudWatch) -> Iterator[Observed]:
    """Have CloudWatch observe the server for as long as the block lasts."""
    observed = Observed(harness, cloudwatch)
    with kept(observed):
        yield observed
