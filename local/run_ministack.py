"""Runs the emulator for as long as standard input stays open; runs in the emulator's own environment.

The parent process holds the other end of standard input and never writes to it. However it ends, `kill -9`
included, the pipe closes, and the emulator, its functions and its files are removed.
"""

import contextlib
import json
import os
import shutil
import signal
import socketserver
import sys
import threading

from ministack import app
from ministack.core import iam_actions
from ministack.core.responses import new_uuid
from ministack.services import stepfunctions

# This Python is isolated, which leaves out the folder of its script.
sys.path.append(os.path.dirname(__file__))

from ministack_foreign import refuse_pages
from ministack_functions import copy_output, name_deaths, renew_functions
from ministack_gateway import rename_challenges, take_keys_of_authorizers
from ministack_iam import grant_tls, name_log_groups, name_partitions, name_rules, name_streams, resolve_variables
from ministack_outages import be_away
from ministack_streams import poll_streams
from ministack_transactions import compare_as_sent
from ministack_usage import record_usage
from ministack_versions import mend_versions


def leave_with_the_parent() -> None:
    """Wait for standard input to close, then remove the private folder and kill the process group."""
    os.read(0, 1)
    shutil.rmtree(os.environ["HOME"], ignore_errors=True)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def evaluate_timeouts() -> None:
    """Let a task's `TimeoutSeconds` be a JSONata expression, as on AWS; the emulator takes numbers only."""
    execute_task = stepfunctions._execute_task

    def execute(state, state_input, execution, context):
        if isinstance(state.get("TimeoutSeconds"), str):
            seconds = stepfunctions._jsonata_state_field(state, "TimeoutSeconds", "number", state_input, context)
            state = {**state, "TimeoutSeconds": seconds}
        return execute_task(state, state_input, execution, context)

    stepfunctions._execute_task = execute


def evaluate_parallels() -> None:
    """Evaluate `Arguments`, `Output` and `Assign` of a Parallel in JSONata, as AWS does; the emulator ignores them."""
    run_branches = stepfunctions._run_parallel_branches

    def run(state, state_input, execution, context):
        if stepfunctions._state_query_language(state, context) != "JSONata":
            return run_branches(state, state_input, execution, context)
        given = stepfunctions._apply_jsonata_arguments(state, state_input, context)
        results, following = run_branches(state, given, execution, context)
        return _returned(state, state_input, context, results), following

    stepfunctions._run_parallel_branches = run


def evaluate_distributed_maps() -> None:
    """Evaluate the fields of a distributed Map in JSONata, as AWS does; the emulator reads them as JSONPath."""
    run_map, evaluated = stepfunctions._run_distributed_map, stepfunctions._apply_jsonata_template
    limits = ("MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage")

    def run(state, state_input, effective, processor, execution, context):
        if stepfunctions._state_query_language(state, context) != "JSONata":
            return run_map(state, state_input, effective, processor, execution, context)
        if "ItemReader" in state:
            reader = evaluated(state["ItemReader"], state_input, context)
            items = stepfunctions._read_map_items(reader, state_input, context)
        else:
            items = evaluated(state["Items"], state_input, context) if "Items" in state else state_input
        if "ItemSelector" in state:
            places = [{**context, "Map": {"Item": {"Index": at, "Value": item}}} for at, item in enumerate(items)]
            items = [evaluated(state["ItemSelector"], state_input, place) for place in places]
        rest = {name: evaluated(state[name], state_input, context) for name in limits if name in state}
        rest |= {name: state[name] for name in ("Label", "Next", "End") if name in state}
        results, following = run_map(rest, state_input, items, processor, execution, context)
        return _returned(state, state_input, context, results), following

    stepfunctions._run_distributed_map = run


def _returned(state, state_input, context, results):
    output = stepfunctions._apply_jsonata_output(state, state_input, context, result=results, default=results)
    stepfunctions._apply_state_assign(state, state_input, context, result=results)
    return output


STOPPED = "Stopped"


def stop_tasks() -> None:
    """Begin no task of an execution that was stopped; the emulator finishes branches, items and retries."""
    matches, fail_execution = stepfunctions._error_matches, stepfunctions._fail_execution

    def unless_stopped(given):
        def given_unless_stopped(state, state_input, context=None):
            execution = stepfunctions._executions.get(context["Execution"]["Id"]) if context else None
            if execution and execution["status"] == "ABORTED":
                raise stepfunctions._ExecutionError(STOPPED, "the execution was stopped")
            return given(state, state_input, context)

        return given_unless_stopped

    def fail(execution, error, cause):
        if execution["status"] == "RUNNING":
            fail_execution(execution, error, cause)

    # What a task is given, in JSONata and in JSONPath.
    stepfunctions._apply_jsonata_arguments = unless_stopped(stepfunctions._apply_jsonata_arguments)
    stepfunctions._apply_parameters = unless_stopped(stepfunctions._apply_parameters)
    stepfunctions._error_matches = lambda names, error: error != STOPPED and matches(names, error)
    stepfunctions._fail_execution = fail


def stop_children() -> None:
    """Stop the executions that a stopped execution waits for by `.sync`, as AWS does; the emulator lets them run."""
    children = {}
    arguments, stop_execution = stepfunctions._apply_jsonata_arguments, stepfunctions._stop_execution

    def with_name(state, state_input, context):
        given = arguments(state, state_input, context)
        if state.get("Resource", "").startswith("arn:aws:states:::states:startExecution.sync"):
            given = {"Name": new_uuid(), **given}
            machine = given["StateMachineArn"].replace(":stateMachine:", ":execution:")
            children.setdefault(context["Execution"]["Id"], []).append(f"{machine}:{given['Name']}")
        return given

    def stop(data):
        for child in children.pop(data.get("executionArn"), ()):
            # One that has ended is left as it is.
            stop({**data, "executionArn": child})
        return stop_execution(data)

    stepfunctions._apply_jsonata_arguments = with_name
    stepfunctions._stop_execution = stop


def name_failed_children() -> None:
    """Name the failure of an execution that is waited for by `.sync` as AWS does; the emulator passes its error on."""

    def failure(payload):
        execution = {name[:1].upper() + name[1:]: value for name, value in payload.items()}
        with contextlib.suppress(KeyError, TypeError, ValueError):
            # The emulator describes the error as if it were the output.
            execution |= json.loads(execution.pop("Output"))
        return "States.TaskFailed", json.dumps(execution, default=str)

    stepfunctions._nested_execution_failure = failure


def renew_tokens() -> None:
    """Issue a task token for each attempt, of one state machine, as AWS does; the emulator has one for all attempts.

    On AWS the permission for SendTaskSuccess names the state machine; the emulator would require one on `*`.
    """
    machines = {}
    arguments, resource = stepfunctions._apply_jsonata_arguments, iam_actions.extract_resource_arn

    def with_token(state, state_input, context):
        if state.get("Resource", "").endswith(".waitForTaskToken"):
            context["Task"] = {"Token": new_uuid()}
            machines[context["Task"]["Token"]] = context["StateMachine"]["Id"]
        return arguments(state, state_input, context)

    def of_token(service, method, path, headers, body, *rest):
        token = iam_actions._safe_json_field(body, "taskToken") if service == "states" else None
        return machines.get(token) or resource(service, method, path, headers, body, *rest)

    stepfunctions._apply_jsonata_arguments = with_token
    iam_actions.extract_resource_arn = of_token


def name_throttling() -> None:
    """Give a throttled invocation the error name that AWS gives it; the emulator's is `Lambda.Unknown`."""
    call_lambda = stepfunctions._call_lambda

    def call(function, event):
        try:
            return call_lambda(function, event)
        except stepfunctions._ExecutionError as error:
            if error.error == "Lambda.Unknown" and '"TooManyRequestsException"' in error.cause:
                raise stepfunctions._ExecutionError("Lambda.TooManyRequestsException", error.cause) from error
            raise

    stepfunctions._call_lambda = call


def notice_failures() -> None:
    """Fail a state when the function that was sent its task token fails, as AWS does; the emulator goes on waiting."""
    call_lambda = stepfunctions._call_lambda

    def call(function, event):
        try:
            return call_lambda(function, event)
        except stepfunctions._ExecutionError as error:
            suspended = stepfunctions._task_tokens.get(event.get("token")) if isinstance(event, dict) else None
            if suspended and not suspended["event"].is_set():
                suspended["error"] = {"Error": error.error, "Cause": error.cause}
                suspended["event"].set()
            raise

    stepfunctions._call_lambda = call


if __name__ == "__main__":
    threading.Thread(target=leave_with_the_parent, daemon=True).start()
    # Nagle's algorithm would delay small responses of the functions' runtime API by 40 ms.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    evaluate_timeouts()
    evaluate_parallels()
    evaluate_distributed_maps()
    stop_tasks()
    stop_children()
    name_failed_children()
    renew_tokens()
    grant_tls()
    name_streams()
    name_log_groups()
    name_rules()
    name_partitions()
    resolve_variables()
    name_throttling()
    name_deaths()
    mend_versions()
    rename_challenges()
    take_keys_of_authorizers()
    notice_failures()
    poll_streams()
    compare_as_sent()
    renew_functions()
    copy_output()
    record_usage()
    be_away()
    refuse_pages()
    app.main()
