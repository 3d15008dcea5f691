"""The commands of `local` end at Ctrl-C without a traceback, at once, and with what they started."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from local.emulator import PYTHON_PATH, ROOT
from tests.timeout import until

# Each prints a line when it may be interrupted.
STARTS_A_PROCESS = """
import sys
from pathlib import Path
from threading import Event, Thread
from local.processes import interruptible, leave, run

CHILD = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"

def work():
    run([sys.executable, "-c", CHILD], cwd=Path.cwd(), environment={}, capture=False)

interruptible()
Thread(target=work).start()
Thread(target=Event().wait).start()
try:
    Event().wait()
except KeyboardInterrupt:
    leave(7)
"""
CLEANS_UP = """
from threading import Event
from local.processes import interruptible

interruptible()
try:
    print("waits", flush=True)
    Event().wait()
except KeyboardInterrupt:
    print("cleans up", flush=True)
    input()
    print("cleaned up")
"""


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command, environment = [sys.executable, *arguments], os.environ | {"PYTHONPATH": PYTHON_PATH}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("command", ["serve", "stack", "demo"])
def test_a_command_that_is_being_imported_ends_without_a_traceback(command: str) -> None:
    with running("-X", "importtime", "-m", "local", command) as process:
        assert process.stdout
        next(line for line in process.stdout if line.endswith(" local.processes\n"))
        # The first of the modules that the command imports.
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)

    assert (process.returncode, "Traceback" in rest) == (-signal.SIGINT, False)


def test_what_it_started_ends_with_it_and_no_thread_is_waited_for() -> None:
    with running("-c", STARTS_A_PROCESS) as process:
        assert process.stdout
        started = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=60)

    until(lambda: not is_alive(started))
    assert status == 7


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_cleans_up_whatever_is_pressed_meanwhile(number: signal.Signals) -> None:
    with running("-c", CLEANS_UP) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(number)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate("\n", timeout=60)

    assert (process.returncode, rest) == (0, "cleaned up\n")
