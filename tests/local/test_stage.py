"""Commands for a stage say in a sentence why it cannot be read."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread

import pytest
from botocore.exceptions import ClientError

from local.emulator import PYTHON_PATH, ROOT
from local.stage import reason

COMMANDS = [
    ["local.top", "--once"],
    ["local.tenant", "--tenant=acme"],
    ["local.audit"],
    ["local.check_deploy"],
    ["local.smoke"],
    ["local.rollback"],
    ["local.prune"],
    ["local.redrive"],
    ["local", "keys", "rotate"],
]


def ran(*command: str, token: str = "any") -> tuple[int, str]:
    environment = os.environ | {"PYTHONPATH": PYTHON_PATH, "TOKEN": token}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stderr


@pytest.fixture
def nowhere() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.fixture
def other() -> Iterator[int]:
    """The port of a program that is no emulator."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65_536)
                    connection.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno")

        Thread(target=answer, daemon=True).start()
        yield int(listening.getsockname()[1])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[-1])
def test_nothing_runs(command: list[str], nowhere: int) -> None:
    status, said = ran(*command, f"--port={nowhere}")

    sentence = f"nothing answers at http://127.0.0.1:{nowhere}/: start make stack, or name its PORT or another STAGE."
    assert (status, sentence in said, "Traceback" in said) == (1, True, False)


def test_something_else_runs(other: int) -> None:
    status, said = ran("local.top", "--once", f"--port={other}")

    sentence = "what answers there is not AWS, nor the emulator of make stack: name the PORT of that, or another STAGE."
    assert (status, sentence in said) == (1, True)


def test_another_stack_runs() -> None:
    answer = {"Error": {"Code": "ValidationError", "Message": "Stack with id McpTaskServer-local does not exist"}}

    said = reason(ClientError(answer, "DescribeStacks"))

    assert said == "Stack with id McpTaskServer-local does not exist: name the STACK that runs there, or another STAGE."


def test_a_server_that_does_not_run_has_no_tasks_to_show(nowhere: int) -> None:
    status, said = ran("local.top", "--once", f"--url=http://127.0.0.1:{nowhere}/mcp")

    assert (status, "nothing answers at this address: start the server" in said) == (1, True)


@pytest.mark.parametrize("token", ["a b", "Bearer abc", "abc\n", "ä"])
@pytest.mark.parametrize(
    "command",
    [["local.smoke"], ["local.proxy", "http://127.0.0.1:1/mcp"], ["local.top", "--once", "--url=http://127.0.0.1:1/"]],
    ids=["smoke", "proxy", "top"],
)
def test_a_token_that_no_header_takes_is_told_in_a_sentence_that_does_not_quote_it(
    command: list[str], token: str
) -> None:
    status, said = ran(*command, token=token)

    assert "TOKEN should be the access token of a subject, without spaces, and without Bearer before it" in said
    assert (status > 0, "Traceback" in said, token in said) == (True, False, False)
