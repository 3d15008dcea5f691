"""What the calls that moto's state machines make to AWS need: clients, names as each API has them, and `.sync`.

Pinned like everything in `moto_patches`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore.exceptions import ClientError
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import StateTaskService
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_sfn import (
    StateTaskServiceSfn,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.asl.utils import boto_client
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication

from mcp_tasks.testing.state_machines import environment
from mcp_tasks.testing.state_machines.clock import ExecutionClock

MakeClient = Callable[..., Any]
"""Makes a client, as `boto3.client` does."""

LONGEST_PAUSE = timedelta(minutes=1)


def service_patches(clock: ExecutionClock, make_client: MakeClient) -> Iterator[AbstractContextManager[Any]]:
    """Yield the patches; `make_client` decides which AWS the state machines reach."""
    yield patch.object(boto_client, "boto3", SimpleNamespace(client=make_client))
    # States name parameters and results in one way, whatever an API calls them; moto left that out.
    yield patch.object(StateTaskService, "_normalise_parameters", _name_parameters)
    yield patch.object(StateTaskService, "_normalise_response", _name_result)
    # Moto describes the output of an execution as it stands where that is a text, and not at all where it is null.
    yield patch.object(BaseExecutionWorkerCommunication, "_reflect_execution_status", _output_as_json())
    # Moto polls with `time.sleep`, and leaves a nested execution alone when its parent is stopped.
    yield patch.object(StateTaskServiceCallback, "_eval_sync", _sync(clock))
    for resolver in ("_build_sync_resolver", "_build_sync2_resolver"):
        yield patch.object(StateTaskServiceSfn, resolver, _nested(getattr(StateTaskServiceSfn, resolver)))


def once_for_each_service(make_client: MakeClient) -> MakeClient:
    """Return the same client for each call: to make one takes longer than most calls."""
    made: dict[str, Any] = {}
    lock = threading.Lock()

    def client(*, service_name: str, **options: Any) -> Any:
        if service_name not in made:
            # Botocore copies the environment, while the functions of other branches run.
            with environment.unchanged(), lock:
                if service_name not in made:
                    made[service_name] = make_client(service_name, **options)
        return made[service_name]

    return client


def _operation(task: StateTaskService, service: str | None, action: str | None) -> Any:
    meta = boto_client.boto_client_for("us-east-1", task._get_boto_service_name(service)).meta
    return meta.service_model.operation_model(meta.method_to_api_mapping[task._get_boto_service_action(action)])


def _name_parameters(
    task: StateTaskService,
    parameters: Any,
    boto_service_name: str | None = None,
    service_action_name: str | None = None,
) -> None:
    if shape := _operation(task, boto_service_name, service_action_name).input_shape:
        task._to_boto_request(parameters, shape)


def _name_result(
    task: StateTaskService, response: Any, boto_service_name: str | None = None, service_action_name: str | None = None
) -> None:
    if shape := _operation(task, boto_service_name, service_action_name).output_shape:
        task._from_boto_response(response, shape)


def _output_as_json() -> Callable[..., None]:
    reflect: Any = BaseExecutionWorkerCommunication._reflect_execution_status

    def reflect_as_json(ended: Any) -> None:
        reflect(ended)
        if ended.execution.exec_status == ExecutionStatus.SUCCEEDED:
            ended.execution.output = to_json_str(ended.execution.output)

    return reflect_as_json


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nested:
    """What waits for a nested execution."""

    arn: str
    resolve: Callable[[], Any]

    def __call__(self) -> Any:
        return self.resolve()

    def stop(self) -> None:
        with suppress(ClientError):
            boto_client.boto_client_for("us-east-1", "stepfunctions").stop_execution(executionArn=self.arn)


def _nested(build: Callable[..., Any]) -> Callable[..., _Nested]:
    def build_nested(task: StateTaskServiceSfn, env: Environment, *rest: Any, **options: Any) -> _Nested:
        arn = env.stack[-1]["ExecutionArn"]
        return _Nested(arn=arn, resolve=build(task, env, *rest, **options))

    return build_nested


def _sync(clock: ExecutionClock) -> Callable[..., Any]:
    def sync(
        task: StateTaskServiceCallback, env: Environment, sync_resolver: Callable[[], Any], *_: Any, **__: Any
    ) -> Any:
        pause = timedelta(seconds=1)
        nested = isinstance(sync_resolver, _Nested)
        while env.is_running():
            before = clock.left
            if result := sync_resolver():
                return result
            # An execution is a thread, which leaves when it ends; any other job is looked at again and again.
            clock.wait(None if nested else pause, until=partial(_is_over, clock, before, env))
            pause = min(2 * pause, LONGEST_PAUSE)
        if isinstance(sync_resolver, _Nested) and isinstance(env.program_state(), ProgramStopped):
            sync_resolver.stop()
        return None

    return sync


def _is_over(clock: ExecutionClock, before: int, env: Environment) -> bool:
    return clock.left != before or not env.is_running()
