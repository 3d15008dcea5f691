"""A client of revision 2025-11-25 without a token, behind the proxy that has one."""

import os
import signal
import subprocess
import sys

from local.emulator import PYTHON_PATH, ROOT
from tests.protocol.rev_2025_11_25.over_http import client
from tests.serving import EXAMPLES, serving


def test_a_client_without_a_token_calls_a_tool() -> None:
    with serving("--auth", *EXAMPLES) as printed:
        command = [sys.executable, "-m", "local.proxy", printed["url"], "--port", "0"]
        environment = os.environ | {"PYTHONPATH": PYTHON_PATH, "TOKEN": printed["token"]}
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            try:
                name, _, url = process.stdout.readline().strip().partition("=")
                somebody = client(url)
                somebody.initialize()
                said = somebody.call("greet", name="Ada")["content"][0]["text"]
            finally:
                process.send_signal(signal.SIGINT)

    assert (name, said, process.returncode) == ("url", "Hello, Ada!", 0)
