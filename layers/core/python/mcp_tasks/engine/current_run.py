"""What log records say beside their message: their release, and the tool, task and trace that a thread runs for."""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_CURRENT: ContextVar[Mapping[str, str]] = ContextVar("current_run", default=MappingProxyType({}))

# Which release a function is of, its version's variables say; in `make serve` nothing is deployed.
_RELEASE = {"release": os.environ["RELEASE"]} if "RELEASE" in os.environ else {}


@contextmanager
def running(tool: str, task_id: str | None) -> Iterator[None]:
    """Make a run the current one; a call that is no task has no `task_id`."""
    with _marked_by({"tool": tool} | ({"task": task_id} if task_id else {})):
        yield


@contextmanager
def traced(trace: str | None) -> Iterator[None]:
    """Make the current run, or what comes of it, part of a trace."""
    with _marked_by({"trace": trace} if trace else {}):
        yield


@contextmanager
def _marked_by(fields: Mapping[str, str]) -> Iterator[None]:
    token = _CURRENT.set({**_CURRENT.get(), **fields})
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_run() -> Mapping[str, str]:
    """Return `tool`, `task` and `trace` of the current run, as far as it has them; a tool's own threads have none."""
    return _CURRENT.get()


def mark_records() -> None:
    """Have every handler add `release` to its records, and what `current_run` has to those written during a run."""
    # Also the handlers of Powertools' loggers, which hand nothing to the root logger's.
    for logger in (logging.getLogger(), *logging.Logger.manager.loggerDict.values()):
        for handler in getattr(logger, "handlers", ()):
            handler.addFilter(_marked)


def _marked(record: logging.LogRecord) -> bool:
    # What an audit record says is hashed before it comes here.
    run = {} if record.name == "audit" else current_run()
    for name, value in (*_RELEASE.items(), *run.items()):
        # What the caller of the logger says of the record takes precedence.
        record.__dict__.setdefault(name, value)
    return True
