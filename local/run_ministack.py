"""Runs the emulator for as long as standard input stays open; runs in the emulator's own environment.

The parent process holds the other end of standard input and never writes to it. However it ends, `kill -9`
included, the pipe closes, and the emulator, its functions and its files are removed.
"""

import os
import shutil
import signal
import socketserver
import threading

from ministack import app
from ministack.core import iam_actions
from ministack.core.responses import new_uuid
from ministack.services import dynamodb_streams, stepfunctions


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


def renew_tokens() -> None:
    """Issue a task token for each attempt, of one state machine, as AWS does; the emulator has one for all attempts.

    On AWS the permission for SendTaskSuccess names the state machine; the emulator would require one on `*`.
    """
    machines = {}
    arguments, resource = stepfunctions._apply_jsonata_arguments, iam_actions.extract_resource_arn

    def with_token(state, state_input, context):
        if state["Resource"].endswith(".waitForTaskToken"):
            context["Task"] = {"Token": new_uuid()}
            machines[context["Task"]["Token"]] = context["StateMachine"]["Id"]
        return arguments(state, state_input, context)

    def of_token(service, method, path, headers, body, *rest):
        token = iam_actions._safe_json_field(body, "taskToken") if service == "states" else None
        return machines.get(token) or resource(service, method, path, headers, body, *rest)

    stepfunctions._apply_jsonata_arguments = with_token
    iam_actions.extract_resource_arn = of_token


def name_streams() -> None:
    """Authorize reads of a stream by the stream's ARN, as AWS does; the emulator looks for a table's name only.

    On AWS the permission to read a stream names the stream; the emulator would require one on `*`.
    """
    resource = iam_actions.extract_resource_arn

    def of_stream(service, method, path, headers, body, *rest):
        stream = None
        if service == "dynamodbstreams":
            place = dynamodb_streams._decode_iterator(iam_actions._safe_json_field(body, "ShardIterator")) or {}
            stream = iam_actions._safe_json_field(body, "StreamArn") or place.get("arn")
        return stream or resource(service, method, path, headers, body, *rest)

    iam_actions.extract_resource_arn = of_stream


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
    renew_tokens()
    name_streams()
    name_throttling()
    notice_failures()
    app.main()
