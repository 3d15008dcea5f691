"""A port that cannot be used is told in a sentence."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence

import pytest

from local.emulator import PYTHON_PATH, ROOT
from local.ports import PortInUse, bound

COMMANDS = pytest.mark.parametrize(
    "command",
    [["local", "serve"], ["local", "stack"], ["local.proxy", "http://127.0.0.1:1/mcp"]],
    ids=["serve", "stack", "proxy"],
)


def refused(command: Sequence[str], *options: str) -> tuple[int, str]:
    """Run a command that ends at once, and return its exit status and what it says."""
    environment = os.environ | {"PYTHONPATH": PYTHON_PATH, "TOKEN": "any"}
    done = subprocess.run(
        [sys.executable, "-m", *command, *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


@COMMANDS
def test_a_port_that_is_in_use_is_told_in_a_sentence(command: Sequence[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = f"Port {port} is in use: end the process that listens there, or choose another port.\n"
        assert refused(command, "--port", str(port)) == (1, sentence)


@pytest.mark.parametrize(
    ("command", "port"),
    [
        (["local", "serve"], "99999"),
        (["local", "stack"], "-1"),
        (["local.proxy", "http://127.0.0.1:1/mcp"], "http"),
        (["local.top", "--once"], "65536"),
        (["local", "keys", "rotate"], "1.5"),
        (["local.smoke"], "9" * 5_000),
    ],
)
def test_a_text_that_is_no_port_is_told_in_a_sentence(command: Sequence[str], port: str) -> None:
    status, said = refused(command, f"--port={port}")

    assert said.endswith(f"a port is a number from 0, which is any free one, to 65535, not {port!r}\n")
    assert (status, "Traceback" in said) == (2, False)


def test_a_port_that_this_user_may_not_have_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def bind(self: socket.socket, address: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", bind)

    with pytest.raises(PortInUse, match=r"^Port 80 is not for this user, as those below 1024: choose another port\.$"):
        bound(80)


@pytest.mark.parametrize("machines", ["nothing", "infra.nothing", "infra/machines", "infra.machines.remind_me", "."])
def test_a_package_of_machines_that_is_not_there_is_told_in_a_sentence(machines: str) -> None:
    sentence = f"There is no package {machines}: MACHINES is one of state machines, such as infra.machines.\n"

    assert refused(["local", "serve"], "--port=0", "--machines", machines) == (1, sentence)
