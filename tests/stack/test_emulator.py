"""The emulator comes and goes without a trace, however the process that started it ends."""

import os
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from local.emulator import ROOT, Emulator, aws_environment, running_emulator
from local.ports import PortInUse

PARENT = """
import sys
from local.emulator import running_emulator

with running_emulator() as emulator:
    print(emulator.url, emulator.folder, flush=True)
    sys.stdin.read()
"""


def connection(url: str) -> socket.socket:
    address = urlsplit(url)
    return socket.create_connection((address.hostname, address.port), timeout=10)


def test_it_answers_while_it_runs_and_leaves_no_process_and_no_file() -> None:
    with running_emulator() as emulator:
        account = emulator.client("sts").get_caller_identity()["Account"]

    assert account == "000000000000"
    assert emulator.process.poll() is not None
    assert not emulator.folder.exists()
    with pytest.raises(ConnectionRefusedError):
        connection(emulator.url)


def test_it_ends_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        url, folder = parent.stdout.readline().split()
        with connection(url) as held:
            parent.send_signal(signal.SIGKILL)

            assert ends(held)
    assert not os.path.exists(folder)


def ends(held: socket.socket) -> bool:
    """Wait until the other side is gone: a connection is closed if it was accepted by then, and reset if it was not."""
    try:
        return held.recv(1) == b""
    except ConnectionResetError:
        return True


def test_two_run_side_by_side() -> None:
    with running_emulator() as one, running_emulator() as other:
        one.client("sqs").create_queue(QueueName="only-here")

        assert not other.client("sqs").list_queues().get("QueueUrls")


def test_a_port_that_is_taken_is_rejected_with_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(PortInUse, match="is in use"):
        start_on(taken.getsockname()[1])


def start_on(port: int) -> Emulator:
    with running_emulator(port) as emulator:
        return emulator


def test_real_credentials_are_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    real = {"AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "real", "AWS_SECRET_ACCESS_KEY": "real", "HOME": "/home/real"}
    for name, value in real.items():
        monkeypatch.setenv(name, value)

    environment = aws_environment("http://127.0.0.1:1", ROOT)

    assert not set(real.values()) & set(environment.values())
    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
