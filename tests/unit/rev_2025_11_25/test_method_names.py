"""The methods that this revision has beside its tables: the handshake, and what its clients notify of."""

import pytest

from mcp_tasks.adapters.memory.storage import MemoryStorage
from mcp_tasks.wire.rev_2025_11_25 import revision
from tests.kit import FixedClock

REVISION = revision(MemoryStorage(clock=FixedClock()))


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "tasks/result", "tasks/update", "notifications/initialized", "notifications/cancelled"],
)
def test_what_its_clients_send_is_a_method_of_it(method: str) -> None:
    assert REVISION.has_method(method)


def test_what_it_sends_itself_is_none() -> None:
    assert not any(map(REVISION.has_method, ("elicitation/create", "notifications/message", "notifications/tasks")))
