"""What must hold of a sweep: it checks all that is due, and a check that fails costs the others nothing.

None fails by itself.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from sys import maxsize
from typing import TYPE_CHECKING, Final

from mcp_tasks.limits.waits import LONGEST_SWEEP
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.run_lease import is_held
from tests.simulation.faults import HARMLESS

if TYPE_CHECKING:
    from tests.simulation.world import World

OF_ONE_CALL: Final = {"store fails", "store fails after", "executor answers not"}
"""After these a sweep goes on with the next task; others end it, or are the end of its process."""


class _Checks(logging.Handler):
    """Demands that a process of which a check fails has met a fault."""

    def __init__(self, world: "World") -> None:
        super().__init__(logging.ERROR)
        self.world = world

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "fallback", "") == "check_failed":
            error = record.exc_info and record.exc_info[1]
            self.world.demand(self.world.running[-1].failed, f"a check fails without a fault: {error!r}")


@contextmanager
def no_failed_checks(world: "World") -> Iterator[None]:
    """Demand that no check fails within the block but for a fault: only the log tells of one."""
    logger, handler, disabled = logging.getLogger(), _Checks(world), logging.root.manager.disable
    logger.addHandler(handler)
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(disabled)
        logger.removeHandler(handler)


def check_sweep(world: "World", due: Sequence[tuple[float, Task]], struck: Sequence[str], began: datetime) -> None:
    """Demand that of what was due no more is left as it was than calls failed, once the sweep knew what was due.

    What a run works on whose time is over is due until its lease has lapsed.
    """
    found, now = world.store.due_checks(maxsize), world.clock.now()
    still = {(at, task.id, task.version) for at, task in found}
    held = {task.id for _, task in (*due, *found) if is_held(task, now - world.skew)}
    idle = [(at, task) for at, task in due if task.id not in held]
    left = [task for at, task in idle if (at, task.id, task.version) in still]
    failures = [fault for fault in struck if fault not in HARMLESS]
    knew, in_time = len(left) < len(idle) or not failures, now < began + LONGEST_SWEEP
    if knew and in_time and OF_ONE_CALL.issuperset(failures):
        names = ", ".join(world.trace.name(task.id) for task in left)
        world.demand(len(left) <= len(failures), f"a sweep left {names}, and {len(failures)} calls failed")
