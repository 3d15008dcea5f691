"""Run the emulator for as long as standard input stays open; runs in the emulator's own environment.

Whoever started this holds the other end of standard input and never writes to it. However that process
ends, `kill -9` included, the pipe closes, and the emulator, its functions and its files go with it.
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
    """Send a token that belongs to its attempt and its machine, as on AWS; the emulator takes one for all attempts.

    There a permission to bring tokens back names the machine; here it would have to name everything.
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
    """Judge a read of a stream by the stream that it names, as on AWS; the emulator looks for a table's name only.

    There a permission to read a stream names the stream; here it would have to name everything.
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
    """Let a state fail by AWS's name when its function has no concurrency left; the emulator says `Lambda.Unknown`."""
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
    """Let a state fail when the function does that got its token, as on AWS; the emulator waits for the token."""
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
    # Small answers of the functions' runtime API would wait 40 ms for more to send.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    evaluate_timeouts()
    renew_tokens()
    name_streams()
    name_throttling()
    notice_failures()
    app.main()
