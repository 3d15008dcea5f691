"""Event ids and cursors that a newer release signed, with fields that this one does not know, are refused in words."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.wire.rev_2025_11_25 import event_ids
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

LISTENING = {"session": "s", "name": "n", "later": 1}
RESPONSE = {"session": "s", "request_id": 1, "task_id": "t", "reported_version": None, "later": 1}


@requirement("A-SSE-7")
@pytest.mark.parametrize(
    "value",
    [
        {"kind": "later", "position": {}},
        {"kind": "listening", "position": LISTENING},
        {"kind": "response", "position": RESPONSE},
        {"kind": "response", "position": {}},
        {"later": True},
    ],
)
def test_an_event_id_of_a_newer_release_is_of_a_stream_that_has_ended(
    harness: Harness, ada: Client, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    event_id = harness.server.signer.sign(
        value, purpose=event_ids.PURPOSE, owner_key=ADA.owner_key, lifetime=timedelta(hours=1)
    )

    reply = ada.resume(event_id)

    # 405 is the one status on which clients stop: others they try again.
    assert reply.status == 405
    assert "stream" in reply.error["message"]
    assert ada.send_request("tools/list").status == 200
    assert caplog.records == []


@requirement("A-PAG-2")
@pytest.mark.parametrize("method", ["tools/list", "tasks/list"])
def test_a_cursor_of_a_newer_release_is_refused_in_words(
    harness: Harness, ada: Client, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    cursor = harness.server.signer.sign(
        {"later": 1}, purpose=method, owner_key=ADA.owner_key, lifetime=timedelta(hours=1)
    )

    error = ada.error(method, cursor=cursor)

    assert error == {
        "code": -32602,
        "message": f"The cursor is none of {method}, or too old: list again from the start.",
    }
    assert caplog.records == []
