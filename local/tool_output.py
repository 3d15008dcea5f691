"""What tools print and log, as it is shown in the terminal of `make serve` and `make stack`."""

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from mcp_tasks.engine.current_run import current_run
from mcp_tasks.run_host.ticket_runner import TaskSuspended

LOGS = Path(__file__).parents[1] / ".local" / "logs"
"""A file for each process that runs, which `make logs` follows."""

Record = Mapping[str, Any]

ROUTINE = frozenset({"audit", "mcp_tasks.wire.call_log"})
"""The loggers that write a record for each step and each request, those of an idle console among them."""


def is_routine(logger: object, level: object) -> bool:
    """Return whether a log record is one of those that come without anybody's doing, while nothing is wrong."""
    return logger in ROUTINE and level in ("DEBUG", "INFO")


def shown(record: Record) -> str:
    """Return a log record as text, with the tool and the task that it is of."""
    run = " ".join(record[name] for name in ("tool", "task") if name in record)
    text = str(record["message"])
    if "level" in record:
        text = f"{record['level']}:{record.get('logger', '')}:{text}"
    if "stackTrace" in record:
        text += f"\n{''.join(record['stackTrace'])}{record.get('errorType')}: {record.get('errorMessage')}"
    return f"{run} | {text}" if run else text


class Printed:
    """A standard stream that writes what tools print as records, a line each, and all else as it is."""

    def __init__(self, stream: TextIO, render: Callable[[Record], str]) -> None:
        """Write to a stream what `render` makes of a record."""
        self._stream = stream
        self._render = render
        self._line = _Line()

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the lines that are complete now."""
        run, line = current_run(), self._line
        if line.pieces and line.run is not run:
            self._write(line.run, line.taken())
        if not run:
            return self._stream.write(text)
        *complete, rest = text.split("\n")
        line.run = run
        for each in complete:
            self._write(run, line.taken() + each)
        if rest:
            line.pieces.append(rest)
        return len(text)

    def _write(self, run: Mapping[str, str], line: str) -> None:
        # Log records are written to the same stream, and have tool and task already.
        self._stream.write(line + "\n" if line.startswith("{") else self._render({**run, "message": line}) + "\n")


class _Line(threading.local):
    """What a thread has printed of a line, and the run that it was printed in."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.run: Mapping[str, str] = {}

    def taken(self) -> str:
        """Return what is there of the line, and begin another one."""
        text = "".join(self.pieces)
        self.pieces.clear()
        return text


class ShownFormatter(logging.Formatter):
    """Formats the records of this process."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text, with its traceback."""
        fields = {"level": record.levelname, "logger": record.name, "message": super().format(record)}
        return shown(fields | {name: getattr(record, name) for name in ("tool", "task") if hasattr(record, name)})


def of_functions(line: str) -> str | None:
    """Return what the terminal shows of a line that a function wrote: what is a tool's, and errors."""
    try:
        record = json.loads(line)
    except ValueError:
        return line
    if isinstance(record, dict) and record.get("errorType") == TaskSuspended.__name__:
        # Lambda's runtime calls it an error.
        return None
    if not isinstance(record, dict) or "message" not in record:
        return line
    if is_routine(record.get("logger"), record.get("level")):
        return None
    return shown(record) if "tool" in record or record.get("level") in ("ERROR", "CRITICAL") else None


@contextmanager
def logged(name: str) -> Iterator[None]:
    """Copy what this process writes to its terminal to a file of `LOGS`, until the context ends."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{name}.log"
    path.unlink(missing_ok=True)
    streams = sys.stdout, sys.stderr
    with open(path, "x", encoding="utf-8", errors="backslashreplace", opener=_private) as file:
        sys.stdout, sys.stderr = (Copied(stream, file) for stream in streams)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams
            path.unlink(missing_ok=True)


def _private(file: str, flags: int) -> int:
    # With AUTH=1, a token is among what `make serve` prints.
    return os.open(file, flags, 0o600)


class Copied:
    """A standard stream that is copied to a file."""

    def __init__(self, stream: TextIO, file: TextIO) -> None:
        self._stream = stream
        self._file = file

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write to both."""
        self._file.write(text)
        self._file.flush()
        written = self._stream.write(text)
        # Of a pipe, as in `make serve | tee log`, nothing would be seen for some thousand characters.
        self._stream.flush()
        return written
