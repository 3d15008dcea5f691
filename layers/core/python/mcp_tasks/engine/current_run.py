"""What log records say beside their message: the release that wrote them, and the tool and task that a thread runs."""

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
    token = _CURRENT.set({"tool": tool} | ({"task": task_id} if task_id else {}))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_run() -> Mapping[str, str]:
    """Return `tool` and `task` of the current run, as far as it has them; threads that a tool starts have neither."""
    return _CURRENT.get()


def mark_records() -> None:
    """Have every handler add `release` to its records, and to those that are written during a run `tool` and `task`."""
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
