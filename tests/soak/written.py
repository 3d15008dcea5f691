"""What the functions wrote: all of it, where CloudWatch Logs of the emulator has what invocations wrote that ended."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from local.stack import Stack

NO_FAILURE: Final = frozenset({"TaskSuspended", "RunInterrupted"})
"""Errors by which a run tells its state machine something."""


def records(stack: Stack) -> Iterator[Mapping[str, Any]]:
    """Yield the records, in the order in which they were written."""
    with stack.emulator.output.open(errors="replace") as lines:
        for line in lines:
            # Another process may have written in the midst of a line.
            with suppress(ValueError):
                found = json.loads(line)
                if isinstance(found, dict):
                    yield found


def errors(stack: Stack) -> Counter[str]:
    """Return how often which error was written, with where it was raised."""
    found = (each for each in records(stack) if "ERROR" in (each.get("level"), each.get("log_level")))
    return Counter(_told(each) for each in found if each.get("errorType") not in NO_FAILURE)


def _told(record: Mapping[str, Any]) -> str:
    said = [str(record.get(name, ""))[:120] for name in ("message", "errorType", "errorMessage")]
    trace = record.get("stackTrace") or [record.get("exception", "")]
    return " | ".join(filter(None, [*said, str(trace[-1]).strip()[-160:]]))
