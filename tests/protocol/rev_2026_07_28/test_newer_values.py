"""A request state that a newer release encrypted is refused in words, and what it adds to one is ignored."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.wire.rev_2026_07_28 import request_state
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client

CALL = {"name": "introduce", "arguments": {}}


def encrypted(harness: Harness, value: dict[str, Any]) -> str:
    """Return a request state with this content."""
    return harness.server.encryptor.encrypt(
        value, purpose=request_state.PURPOSE, owner_key=ADA.owner_key, lifetime=timedelta(hours=1)
    )


@requirement("B-MRTR-6")
@pytest.mark.parametrize("content", [{}, {"later": {}}])
def test_one_without_what_it_is_known_by_is_refused(
    harness: Harness, ada: Client, content: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    error = ada.error("tools/call", **CALL, requestState=encrypted(harness, content))

    assert error["code"] == -32602
    assert error["message"] == "The requestState is not as it was given, or too old: call anew."
    assert caplog.records == []
