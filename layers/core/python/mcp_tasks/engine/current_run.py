"""The tool that the current thread runs, and its task: log records that are written meanwhile have them as fields."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_CURRENT: ContextVar[Mapping[str, str]] = ContextVar("current_run", default=MappingProxyType({}))


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
    """Have the root logger's handlers add `tool` and `task` to the records that are written during a run."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_marked)


def _marked(record: logging.LogRecord) -> bool:
    for name, value in current_run().items():
        # What the caller of the logger says of the record takes precedence.
        record.__dict__.setdefault(name, value)
    return True
