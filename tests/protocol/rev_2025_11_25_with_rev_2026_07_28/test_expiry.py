"""A task that expires while its client is answered is one that it does not have."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports import Ports
from mcp_tasks.tasks.model import Outcome
from tests.kit import ADA, FixedClock, memory_ports
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, client


class SlowStore(MemoryTaskStore):
    """A store in which a task expires before its outcome is read."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self._time = clock

    def outcome(self, owner_key: str, task_id: str) -> Outcome:
        self._time.advance(timedelta(days=3))
        return super().outcome(owner_key, task_id)


def ports_with_a_slow_store(clock: FixedClock, **others: Any) -> Ports:
    """Return ports in memory, with the slow store."""
    store = SlowStore(clock)
    return replace(memory_ports(clock, **others), tasks=store, backlog=store, queue=store)


@requirement("A-TASK-39", "B-TASK-18")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_whose_task_expires_before_its_outcome_is_read_has_no_task(revision: str) -> None:
    harness = Harness(ALL, ports=ports_with_a_slow_store)
    ada = client(revision, harness, ADA, knows_tasks=False)

    error = ada.send_request("tools/call", {"name": "add", "arguments": {"numbers": [1, 2]}}).error

    assert error["code"] == -32602
    assert error["message"].startswith("There is no task '")
    assert error["message"].endswith("': it never existed, or it has expired.")
