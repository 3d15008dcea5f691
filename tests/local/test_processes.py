"""The commands of `local` end at Ctrl-C without a traceback, at once, and with what they started."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

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
IS_INTERRUPTED_MEANWHILE = """
import signal, sys
from pathlib import Path
from local.processes import interruptible, run

def interrupt(frame, event, argument):
    if event == "return" and frame.f_code.co_name == "_execute_child":
        print(frame.f_locals["self"].pid, flush=True)
        signal.raise_signal(signal.SIGINT)

interruptible()
sys.setprofile(interrupt)
try:
    run(["sleep", "600"], cwd=Path.cwd(), environment={}, capture=False)
except KeyboardInterrupt:
    print("interrupted")
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


def test_a_process_that_was_just_starting_ends_with_it() -> None:
    with running("-c", IS_INTERRUPTED_MEANWHILE) as process:
        started, said = process.communicate(timeout=60)[0].split()

    try:
        assert said == "interrupted"
        assert not is_alive(int(started))
    finally:
        with suppress(ProcessLookupError):
            os.kill(int(started), signal.SIGKILL)


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


LIBRARIES = {
    "replaced": "import signal; signal.signal(signal.SIGINT, lambda number, frame: None)",
    "replaced in C": "import ctypes, signal; ctypes.CDLL(None).signal(signal.SIGINT, ctypes.c_void_p(1))",
    "blocked": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})",
}


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_library_that_takes_a_signal_does_not_keep_the_process(library: str, number: int) -> None:
    waits = f"""
from local.processes import interruptible, wait_for_interrupt
interruptible()
{library}
import sys, threading
try:
    threading.Timer(0.7, print, ["waits"], {{"flush": True}}).start()
    wait_for_interrupt()
except KeyboardInterrupt:
    print("ended")
"""
    with running("-c", waits) as process:
        assert process.stdout
        assert process.stdout.readline() == "waits\n"
        process.send_signal(number)
        assert process.communicate(timeout=20)[0] == "ended\n"
