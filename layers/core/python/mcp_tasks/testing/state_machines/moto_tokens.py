"""What moto's `waitForTaskToken` needs to wait on our clock, and to know which tokens are of any use.

Pinned like everything in `moto_patches`.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from moto.stepfunctions.parser.api import ExecutionStatus, TaskTimedOut
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackConsumerTimeout,
    CallbackEndpoint,
    CallbackOutcome,
    CallbackOutcomeSuccess,
    CallbackOutcomeTimedOut,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from mcp_tasks.testing.state_machines.clock import ExecutionClock


def token_patches(clock: ExecutionClock) -> Iterator[AbstractContextManager[Any]]:
    """Yield the patches."""
    # One token serves all attempts in moto, and may be sent back after the last of them.
    yield patch.object(StateTaskServiceCallback, "_evaluate_with_timeout", _attempt())
    # A suspended state would wait on though its execution was stopped.
    yield patch.object(StateTaskServiceCallback, "_eval_wait_for_task_token", _waiter(clock))
    # Moto breaks over a token that is of no use any more.
    yield patch.object(StepFunctionsParserBackend, "send_task_success", _send)


def _attempt() -> Callable[..., None]:
    def attempt(state: StateTaskServiceCallback, env: Environment) -> None:
        # As `moto_jsonata` has patched it.
        evaluate = ExecutionState._evaluate_with_timeout
        if state.resource.condition is None:
            return evaluate(state, env)
        suspended = env.callback_pool_manager.add(env.states.context_object.update_task_token())
        try:
            return evaluate(state, env)
        finally:
            suspended.report(CallbackConsumerTimeout())

    return attempt


def _waiter(clock: ExecutionClock) -> Callable[..., CallbackOutcome]:
    def wait(
        state: StateTaskServiceCallback,
        env: Environment,
        timeout_seconds: int,
        callback_endpoint: CallbackEndpoint,
        heartbeat_endpoint: object,
    ) -> CallbackOutcome:
        assert heartbeat_endpoint is None, "the harness does not know heartbeats"
        clock.wait(
            timedelta(seconds=timeout_seconds),
            until=lambda: callback_endpoint.get_outcome() is not None or not env.is_running(),
        )
        if not env.is_running():
            # It is not read any more, but an error would turn a stopped execution into a failed one.
            return CallbackOutcomeSuccess(callback_id=callback_endpoint.callback_id, output="null")
        return callback_endpoint.get_outcome() or CallbackOutcomeTimedOut(callback_id=callback_endpoint.callback_id)

    return wait


def _send(backend: StepFunctionsParserBackend, task_token: str, outcome: str) -> None:
    for execution in backend._get_executions(ExecutionStatus.RUNNING):
        env = execution.exec_worker.env
        suspended = env.callback_pool_manager.get(task_token) if env else None
        if suspended is not None and suspended.consumer_error is None:
            suspended.notify(CallbackOutcomeSuccess(callback_id=task_token, output=outcome))
            return
    raise TaskTimedOut("Task Timed Out: 'Provided task does not exist anymore'", TaskTimedOut.code)
