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
from ministack.services import stepfunctions


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


if __name__ == "__main__":
    threading.Thread(target=leave_with_the_parent, daemon=True).start()
    # Small answers of the functions' runtime API would wait 40 ms for more to send.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    evaluate_timeouts()
    app.main()
