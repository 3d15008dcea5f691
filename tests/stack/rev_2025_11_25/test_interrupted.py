"""Ctrl-C during `make demo`, which in a terminal reaches every process of the command."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping

import pytest

from local.demo import CLIENT
from local.emulator import PYTHON_PATH, ROOT, aws_environment
from local.stack import Stack


def interrupted(command: list[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Interrupt a command once it has printed something, and return its status and all else that it printed."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    return process.returncode, rest


def test_the_demo_says_that_it_was_interrupted() -> None:
    status, rest = interrupted(
        [sys.executable, "-m", "local.demo"], os.environ | {"PYTHONPATH": PYTHON_PATH, "PYTHONUNBUFFERED": "1"}
    )

    assert (status, rest) == (130, "\nInterrupted: the stack is stopped and removed.\n")


@pytest.mark.slow
def test_its_client_leaves_that_to_the_demo(stack: Stack) -> None:
    tokens = stack.token("acme", "ada"), stack.token("globex", "eve")
    command = [str(CLIENT), "-m", "local.demo_script", stack.url, *tokens, stack.outputs["DataBucket"]]
    environment = aws_environment(stack.emulator.url, stack.emulator.folder) | {"PYTHONUNBUFFERED": "1"}
    status, rest = interrupted(command, environment)

    assert (status, "Traceback" in rest) == (1, False)
