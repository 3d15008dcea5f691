"""Keeps the lease of a run that no execution waits for, by a thread beside the tool's code."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from mcp_tasks.engine.operations import INTERNAL_ERROR
from mcp_tasks.limits.waits import BETWEEN_RENEWALS
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.run_host import LoadedRun, RunHost, RunNotWanted
from mcp_tasks.records import record
from mcp_tasks.tasks.model import Failed

logger = logging.getLogger(__name__)

OUT_OF_TIME = Failed(code=INTERNAL_ERROR, message="The work did not end in time.")


@record
class LeaseKeeping:
    """Renews the lease of a run while its tool works, and fails its task when its time is over, as a state does."""

    clock: Clock

    @contextmanager
    def __call__(self, host: RunHost, run: LoadedRun) -> Iterator[None]:
        """Keep the lease as long as the context lasts; a tool that is cancelled learns of it from its own context."""
        ended, due_at = threading.Event(), run.ends_at(self.clock.now())
        threading.Thread(target=self._keep, args=(host, due_at, ended), name="lease", daemon=True).start()
        try:
            yield
        finally:
            # Not waited for: what it has sent by now finds the task final, or its lease to be its own.
            ended.set()

    def _keep(self, host: RunHost, due_at: datetime, ended: threading.Event) -> None:
        while not ended.wait(self._until_next(due_at).total_seconds()):
            try:
                if self.clock.now() < due_at:
                    host.renew()
                else:
                    host.finish(OUT_OF_TIME)
                    return
            except RunNotWanted:
                return
            except Exception:
                # Whatever it was, the thread goes on: if it ended, a lease would lapse whose run works, and the sweep
                # would start another one. A mistake of ours is repeated, and logged, at each renewal.
                logger.exception("the lease of a run is not renewed", extra={"fallback": "lease_not_renewed"})

    def _until_next(self, due_at: datetime) -> timedelta:
        left = due_at - self.clock.now()
        return min(left, BETWEEN_RENEWALS) if left > timedelta() else BETWEEN_RENEWALS
