"""Each task as one trace, put together from what the functions logged: from its creation to the last read of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from local.stack import Stack
from tests.soak.written import records

ENDS: Final = frozenset({"task.finished", "task.cancelled"})
READS: Final = frozenset({"tasks/get", "tasks/result"})


def lacking(stack: Stack, task_ids: Iterable[str]) -> Iterator[str]:
    """Yield a line for each of these tasks whose trace has a gap, or is more than one.

    A process that is killed logs nothing of its request; the stream's function logs what happens to tasks, if need be
    again.
    """
    logged: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each in records(stack):
        if "task" in each:
            logged[each["task"]].append(each)
    for task_id in task_ids:
        if gaps := _gaps(logged[task_id]):
            yield f"the trace of task {task_id} lacks {', '.join(gaps)}"


def _gaps(logged: list[Mapping[str, Any]]) -> list[str]:
    events = {str(each.get("event")) for each in logged}
    found = {
        "one name": len({each["trace"] for each in logged if "trace" in each}) == 1,
        "a creation": "task.created" in events,
        "an end": bool(events & ENDS),
        "a read": any(each.get("message") == "answered" and each.get("method") in READS for each in logged),
    }
    return [name for name, is_there in found.items() if not is_there]
