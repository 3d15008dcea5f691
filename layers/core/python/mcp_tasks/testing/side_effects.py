"""Ends a run of adopters' code where it would reach the world outside of its process, by CPython's audit events."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any, Final

from mcp_tasks.authoring.control_signals import Interrupted

REACHING: Final = (
    *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg", "socket.bind"),
    *("subprocess.", "pty.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.kill", "signal."),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "os.ch", "os.utime"),
    *("shutil.", "sqlite3.connect", "webbrowser.", "smtplib.", "ftplib.", "time.sleep"),
)
"""What the names of events begin with; code in C that raises none, such as gRPC's, is not seen."""

WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class _Guard:
    """Whether side effects end a run now; an audit hook, once added, stays."""

    def __init__(self) -> None:
        self.active = False
        self.added = False
        self.reached: list[str] = []
        self.of_thread = local()

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active or getattr(self.of_thread, "allowed", False):
            return
        writes = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & WRITES)
        if writes or event.startswith(REACHING):
            self.reached.append(event)
            raise Interrupted(f"the run came to {event}")


_GUARD = _Guard()


@contextmanager
def none_allowed() -> Iterator[list[str]]:
    """Within the block, raise `Interrupted` in what would have a side effect and in what waits; yields the events."""
    if not _GUARD.added:
        sys.addaudithook(_GUARD.audit)
        _GUARD.added = True
    # What is imported within the block is not written to `__pycache__`.
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    _GUARD.reached = []
    _GUARD.active = True
    try:
        yield _GUARD.reached
    finally:
        _GUARD.active = False
        sys.dont_write_bytecode = writes_bytecode


@contextmanager
def allowed() -> Iterator[None]:
    """Within the block, let this thread do what it likes."""
    _GUARD.of_thread.allowed = True
    try:
        yield
    finally:
        _GUARD.of_thread.allowed = False
