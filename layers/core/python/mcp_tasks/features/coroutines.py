"""Runs functions that are coroutines: a module of its own, since `asyncio` costs a cold start 20 ms."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any

from mcp_tasks.authoring.control_signals import ControlSignal


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns; raises what it raises, without the groups that `asyncio.TaskGroup` makes.

    Of a group that holds a control signal, which ends the run, that is raised, and otherwise the only error in a group.
    """
    try:
        return asyncio.run(coroutine)
    except BaseExceptionGroup as group:
        errors = list(_errors(group))
        signal = next((each for each in errors if isinstance(each, ControlSignal)), None)
        raise signal or (errors[0] if len(errors) == 1 else group) from None


def _errors(error: BaseException) -> Iterator[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for each in error.exceptions:
        yield from _errors(each)
