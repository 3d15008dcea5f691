"""Step Functions in this process, for `make serve`: moto's, which calls the functions with services in memory."""

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from botocore.session import get_session
from moto.core.config import default_user_config
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication

from mcp_tasks import bootstrap, tool_bootstrap
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.run_host.ticket_runner import TaskSuspended
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.testing.state_machines import aws, handlers
from mcp_tasks.testing.state_machines.lambdas import Handler, failure, function_context
from mcp_tasks.testing.state_machines.moto_patches import patched_moto
from mcp_tasks.testing.state_machines.moto_services import once_for_each_service
from mcp_tasks.testing.state_machines.real_clock import RealClock
from mcp_tasks.testing.state_machines.resources import make_resources, refused
from mcp_tasks.testing.state_machines.template import Template

logger = logging.getLogger(__name__)

RECORD_OUTCOME = "functions.record_outcome.handler.handler"

Services = Mapping[str, Callable[[Any], Any]]
"""What the functions get from their bootstrap here, by its name there."""


class Interpreter:
    """Moto's Step Functions, and what the state machines of the template reach.  One for each process."""

    def __init__(self) -> None:
        """Mend moto for as long as the process lives."""
        self._functions: Mapping[str, Mapping[str, Any]] = {}
        self._template: Template | None = None
        self._handlers: dict[str, Handler] = {}
        self._services: Services = {}
        self._machines: Mapping[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._loading = threading.RLock()
        self._mends = ExitStack()
        for mend in (
            patched_moto(RealClock(), self._invoke, once_for_each_service(aws.make_client)),
            patch.dict(default_user_config, stepfunctions={"execute_state_machine": True}),
            patch.object(BaseExecutionWorkerCommunication, "terminated", self._terminated()),
            refused(self._reasons),
        ):
            self._mends.enter_context(mend)

    def take_up(self, assembly: Path, tickets: Tickets) -> StepFunctionsExecutor:
        """Make what a synthesised app describes, and return what starts its state machines."""
        template = Template.of_assembly(assembly)
        reasons = make_resources(template, aws.client)
        theirs, variables = handlers.brought(template)
        if get_session().get_config_variable("region"):
            variables = {key: value for key, value in variables.items() if key not in handlers.GIVEN}
        with self._loading:
            os.environ.update(variables)
            self._functions = dict(template.ours(handlers.FUNCTION))
            self._handlers = theirs
            self._template = template
            self._reasons.clear()
            self._reasons.update(reasons)
            self._machines = _machines(self._functions)
        return StepFunctionsExecutor(
            client=lambda: aws.client("stepfunctions"), machines=self._machines, tickets=tickets
        )

    def serve(self, services: Services) -> None:
        """Have the functions use these services, and be imported anew, from now on."""
        with self._loading:
            self._services = services
            self._handlers = handlers.brought(self._template)[0] if self._template else {}

    def _invoke(self, name: str, event: Any) -> tuple[str, bool]:
        try:
            with aws.inside():
                handler = self._handler(name)
                return json.dumps(handler(json.loads(json.dumps(event)), function_context(name))), False
        except TaskSuspended as signal:
            return json.dumps(failure(signal)), True
        except BaseException as error:
            logger.exception("the function %s failed", name)
            return json.dumps(failure(error)), True

    def _handler(self, name: str) -> Handler:
        with self._loading:
            if name not in self._handlers:
                with self._wired():
                    self._handlers[name] = handlers.imported(self._functions[name])
                _log_failures_only(self._functions[name])
            return self._handlers[name]

    @contextmanager
    def _wired(self) -> Iterator[None]:
        with ExitStack() as stack:
            for module in (bootstrap, tool_bootstrap):
                here = {name: service for name, service in self._services.items() if hasattr(module, name)}
                stack.enter_context(patch.dict(vars(module), here))
            yield

    def _terminated(self) -> Callable[[Any], None]:
        terminated: Any = BaseExecutionWorkerCommunication.terminated

        def terminated_and_told(communication: Any) -> None:
            terminated(communication)
            execution = communication.execution
            if execution.state_machine_arn in self._machines.values():
                self._tell(execution)

        return terminated_and_told

    def _tell(self, execution: Any) -> None:
        """Invoke the function that EventBridge invokes when an execution has ended."""
        why = f", {execution.error}: {execution.cause}" if execution.error else ""
        logger.info("execution %s: %s%s", execution.name, execution.status, why)
        detail = {
            "executionArn": execution.execution_arn,
            "status": str(execution.status),
            "input": execution.execution_input,
        }
        for name, function in self._functions.items():
            if function["Handler"] == RECORD_OUTCOME:
                self._invoke(name, {"detail": detail})


def _log_failures_only(function: Mapping[str, Any]) -> None:
    # What else it logs, as JSON, the log of this process says as well.
    logging.getLogger(function["Handler"].split(".")[-3]).setLevel(logging.WARNING)


def _machines(functions: Mapping[str, Mapping[str, Any]]) -> Mapping[str, str]:
    """Return the ARNs of the state machines by name, as the functions know them."""
    variables = [function["Environment"]["Variables"] for function in functions.values()]
    machines: Mapping[str, str] = next(json.loads(each["MACHINES"]) for each in variables if "MACHINES" in each)
    return machines
