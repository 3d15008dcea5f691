"""How the commands of this folder end: by Ctrl-C or SIGTERM, with what they started, and at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread
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
    with ExitStack() as ending:
        with _uninterrupted():
            process = subprocess.Popen(
                command, cwd=cwd, env=environment, stdout=output, stderr=output, text=True, start_new_session=True
            )
            ending.enter_context(process)
            _started.add(process)
            ending.callback(_end, process)
        printed, complaints = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, printed, complaints)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C while a process starts: one that is not known yet could not be killed."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for first in came[:1]:
            signal.raise_signal(first)


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


def _end(process: subprocess.Popen[str]) -> None:
    _kill(process)
    _started.discard(process)


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _interrupt(number: int, frame: object) -> NoReturn:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt
