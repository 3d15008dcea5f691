"""How the commands of this folder end: by Ctrl-C or SIGTERM, with what they started, and at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

REARM_SECONDS = 0.5
SIGNALS = (signal.SIGINT, signal.SIGTERM)

_started: set[subprocess.Popen[str]] = set()


def interruptible() -> None:
    """Have Ctrl-C and SIGTERM raise `KeyboardInterrupt`, once: what is cleaned up then is not interrupted again."""
    for number in SIGNALS:
        # SIGINT is ignored in background jobs of a script, until here.
        signal.signal(number, _interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def wait_for_interrupt() -> NoReturn:
    """Wait until Ctrl-C or SIGTERM raises `KeyboardInterrupt`, whatever handles these signals meanwhile.

    Libraries that a tool imports, polars among them, set a handler of their own or block the signals.
    """
    while True:
        interruptible()
        time.sleep(REARM_SECONDS)


def run(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], capture: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; Ctrl-C reaches this process alone, which ends the command."""
    output = subprocess.PIPE if capture else None
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=output, stderr=output, text=True, start_new_session=True
    )
    with process:
        _started.add(process)
        try:
            printed, complaints = process.communicate()
        finally:
            _kill(process)
            _started.discard(process)
    return subprocess.CompletedProcess(command, process.returncode, printed, complaints)


def end_started() -> None:
    """Kill what `run` runs, in whichever thread, and the processes that it started."""
    for process in [*_started]:
        _kill(process)


def leave(status: int = 0) -> NoReturn:
    """End this process, and what it runs, without waiting for threads or for modules to be torn down.

    Moto's modules take seconds, and threads of tools may never end.
    """
    end_started()
    for stream in (sys.stdout, sys.stderr):
        # A pipe whose reader is gone.
        with suppress(OSError):
            stream.flush()
    os._exit(status)


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _interrupt(number: int, frame: object) -> NoReturn:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt
