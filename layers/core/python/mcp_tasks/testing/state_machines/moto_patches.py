"""What moto's state machines need to run real handlers on our clock.

These reach into moto's inside, so the version is pinned: on a new one, read each again, then move the pin.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import moto
from moto.awslambda.models import LambdaFunction
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.retry import jitter_strategy_decl, retrier_decl
from moto.stepfunctions.parser.asl.component.eval_component import EvalComponent
from moto.stepfunctions.parser.asl.component.program import program
from moto.stepfunctions.parser.asl.component.state.exec import execute_state
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import iteration_worker
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel import branch_worker, branches_decl
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.asl.eval import environment
from moto.stepfunctions.parser.asl.eval.callback import callback
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.asl.parse import asl_parser
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor
from moto.stepfunctions.parser.backend import execution_worker
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from mcp_tasks.testing.state_machines.clock import LONGEST_RUN, ExecutionClock, HarnessHangs
from mcp_tasks.testing.state_machines.moto_jsonata import jsonata_patches
from mcp_tasks.testing.state_machines.moto_maps import map_patches
from mcp_tasks.testing.state_machines.moto_services import MakeClient, service_patches
from mcp_tasks.testing.state_machines.moto_tokens import token_patches
from mcp_tasks.testing.state_machines.threads import threads_of

MOTO = "5.2.5"

Invoke = Callable[[str, Any], tuple[str, bool]]
"""Calls a function, by its name, with an event; returns its payload, and whether that describes an error."""

# Each error that a machine handles would be logged three times, with its whole syntax tree.
logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)

assert moto.__version__ == MOTO, f"moto {moto.__version__} is installed: these patches were read against {MOTO}"


@contextmanager
def patched_moto(clock: ExecutionClock, invoke: Invoke, make_client: MakeClient) -> Iterator[None]:
    """Let moto's state machines call functions by `invoke` and AWS by `make_client`, and wait on `clock`."""
    threads = threads_of(clock)
    back_off = _BackOff(clock)
    patches: list[AbstractContextManager[Any]] = [
        # Moto runs functions in docker.
        patch.object(LambdaFunction, "_invoke_lambda", _invoker(invoke)),
        # A timeout or any other `States.` error inside a Parallel or a Map breaks moto before the Catch can see it.
        patch.object(branches_decl, "CustomErrorName", _error_name),
        patch.object(iteration_worker, "CustomErrorName", _error_name),
        # Wait states and the back-off of Retry.
        patch.object(WaitFunction, "_wait_interval", _waiter(clock)),
        patch.object(retrier_decl.RetrierDecl, "_eval_body", back_off.evaluator()),
        patch.object(retrier_decl, "time", SimpleNamespace(sleep=back_off.sleep)),
        patch.object(jitter_strategy_decl, "random", SimpleNamespace(uniform=lambda low, high: high)),
        *token_patches(clock),
        *jsonata_patches(clock.now),
        *map_patches(threads),
        *service_patches(clock, make_client),
        # Timeouts of states and machines, and what one thread of an execution waits for in another.
        patch.object(program, "threading", threads_of(clock, is_abandoned=_is_stopped)),
        patch.object(execute_state, "threading", threads),
        patch.object(execute_state, "Thread", threads.Thread),
        patch.object(execution_worker, "Thread", threads.Thread),
        # All parsers share one list of query languages: executions that begin at once would die of each other.
        patch.object(asl_parser, "Preprocessor", _OwnLanguages),
        # What has not begun yet breaks moto when it is stopped, or is not stopped: an execution, or a branch of it.
        patch.object(execution_worker.ExecutionWorker, "stop", _stop_begun),
        patch.object(program.Program, "eval", _unless_stopped(program.Program.eval)),
        patch.object(branch_worker, "threading", threads),
        patch.object(branches_decl, "threading", threads),
        patch.object(environment, "threading", threads),
        patch.object(callback, "Event", threads.Event),
        # Parsing a machine takes as long as running it: what was valid once is valid, and each execution would parse it
        # anew.  What it keeps is in its environment, under keys that two threads at once would make two of.
        patch.object(StepFunctionsParserBackend, "_validate_definition", staticmethod(_validate)),
        patch.object(execution_worker.ExecutionWorker, "_get_evaluation_entrypoint", _parsed_once),
        patch.object(EvalComponent, "heap_key", property(lambda component: str(id(component)))),
    ]
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


_validate = cache(StepFunctionsParserBackend._validate_definition)
_parse = cache(asl_parser.AmazonStateLanguageParser.parse)


def _parsed_once(worker: execution_worker.ExecutionWorker) -> EvalComponent:
    component, _ = _parse(worker._evaluation_details.state_machine_details.definition)
    return component


def _invoker(invoke: Invoke) -> Callable[..., tuple[str, bool, str]]:
    def invoke_lambda(function: LambdaFunction, event: Any = None) -> tuple[str, bool, str]:
        return (*invoke(function.function_name, event), "")

    return invoke_lambda


def _error_name(error_name: str) -> ErrorName:
    return StatesErrorName.from_name(error_name) if error_name.startswith("States.") else CustomErrorName(error_name)


def _waiter(clock: ExecutionClock) -> Callable[..., None]:
    def wait(state: WaitFunction, env: environment.Environment, wait_seconds: float) -> None:
        clock.wait(timedelta(seconds=wait_seconds), until=lambda: not env.is_running())

    return wait


class _BackOff:
    """The back-off of Retry: a bare `time.sleep` in moto, out of reach of the execution it belongs to."""

    def __init__(self, clock: ExecutionClock) -> None:
        self._clock = clock
        self._here = threading.local()

    def evaluator(self) -> Callable[..., None]:
        evaluate = retrier_decl.RetrierDecl._eval_body

        def remember_and_evaluate(retrier: retrier_decl.RetrierDecl, env: environment.Environment) -> None:
            self._here.env = env
            evaluate(retrier, env)

        return remember_and_evaluate

    def sleep(self, seconds: float) -> None:
        env = self._here.env
        self._clock.wait(timedelta(seconds=seconds), until=lambda: not env.is_running())


class _OwnLanguages(Preprocessor):
    def __init__(self) -> None:
        self._query_language_per_scope = []


def _stop_begun(worker: execution_worker.ExecutionWorker, **how: Any) -> None:
    # In real time, whatever the clock: it is the machine that takes it, to parse the definition.
    moment, latest = threading.Event(), time.monotonic() + LONGEST_RUN
    while worker.env is None or worker.env.program_state() is None:
        if time.monotonic() > latest:
            raise HarnessHangs(f"an execution to be stopped has not begun after {LONGEST_RUN:.0f} s of real time")
        moment.wait(0.02)
    worker.env.set_stop(**how)


def _unless_stopped(evaluate: Callable[..., None]) -> Callable[..., None]:
    def evaluate_unless_stopped(of: program.Program, env: environment.Environment) -> None:
        try:
            evaluate(of, env)
        except RuntimeError:
            # Its first state cannot be set any more.
            if not isinstance(env.program_state(), ProgramStopped):
                raise

    return evaluate_unless_stopped


def _is_stopped(arguments: tuple[Any, ...]) -> bool:
    # On AWS a stopped execution has ended even though its function runs on; moto would wait for the function.
    (env,) = arguments
    return isinstance(env.program_state(), ProgramStopped)
