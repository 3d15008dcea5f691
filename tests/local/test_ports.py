"""A port that is in use is told in a sentence."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence

import pytest

from local.emulator import PYTHON_PATH, ROOT


@pytest.mark.parametrize(
    "command",
    [["local", "serve"], ["local", "stack"], ["local.proxy", "http://127.0.0.1:1/mcp"]],
    ids=["serve", "stack", "proxy"],
)
def test_a_port_that_is_in_use_is_told_in_a_sentence(command: Sequence[str]) -> None:
    environment = os.environ | {"PYTHONPATH": PYTHON_PATH, "TOKEN": "any"}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", *command, "--port", str(port)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    sentence = f"Port {port} is in use: end the process that listens there, or choose another port.\n"
    assert (done.returncode, done.stderr) == (1, sentence)
