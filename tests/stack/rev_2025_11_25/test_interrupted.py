"""Ctrl-C during `make demo`, which in a terminal reaches every process of the command."""

import os
import signal
import subprocess
import sys

import pytest

from local.emulator import PYTHON_PATH, ROOT

BEGINNINGS = ["deploying", pytest.param("up after", marks=pytest.mark.slow)]
"""Of the last line before: the demo deploys, or has just started its client."""


@pytest.mark.parametrize("line", BEGINNINGS)
def test_the_demo_says_that_it_was_interrupted(line: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "local", "demo"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": PYTHON_PATH, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        next(printed for printed in process.stdout if printed.startswith(line))
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=60)

    assert (process.returncode, rest) == (130, "\nInterrupted: the stack is stopped and removed.\n")
