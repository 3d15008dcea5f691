"""A request state of a newer release, or with a damaged journal, is refused in words, and holds up nothing else."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.engine.current_call import noting
from mcp_tasks.wire.rev_2026_07_28 import request_state
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client
from tests.protocol.rev_2026_07_28.responses import FRIDAY, ZOE

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


ROME = {"to": "Rome"}


def content_of(harness: Harness, state: str) -> dict[str, Any]:
    """Return what a request state holds."""
    return dict(harness.server.encryptor.decrypt(state, purpose=request_state.PURPOSE, owner_key=ADA.owner_key))


@requirement("B-MRTR-6")
@pytest.mark.parametrize(
    "damage",
    [
        {"answers": 7},
        {"answers": {"who": "SECRET"}},
        {"steps": ["SECRET"]},
        {"asked": "who"},
        {"asked": [7]},
        {"task": 7},
    ],
    ids=str,
)
def test_one_whose_journal_is_damaged_is_refused_and_the_call_goes_on_with_the_one_that_is_not(
    harness: Harness, ada: Client, damage: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    asked = ada.retry(ada.call("book", **ROME), "book", ROME, who=ZOE)
    state = encrypted(harness, content_of(harness, asked["requestState"]) | damage)
    call = {"name": "book", "arguments": ROME, "inputResponses": {"when": FRIDAY}}

    with noting() as noted:
        error = ada.error("tools/call", **call, requestState=state)

    assert (error["code"], error["message"]) == (
        -32602,
        "The requestState is not as it was given, or too old: call anew.",
    )
    # The one record of a request says that it was refused.
    assert (noted["error"], caplog.records) == (-32602, [])
    assert ada.retry(asked, "book", ROME, when=FRIDAY)["resultType"] == "complete"


@requirement("B-MRTR-6")
def test_what_a_newer_release_adds_to_one_is_ignored(harness: Harness, ada: Client) -> None:
    asked = ada.retry(ada.call("book", **ROME), "book", ROME, who=ZOE)
    state = encrypted(harness, content_of(harness, asked["requestState"]) | {"later": {"of": [1]}})

    result = ada.retry({"requestState": state}, "book", ROME, when=FRIDAY)

    assert result["content"] == ada.retry(asked, "book", ROME, when=FRIDAY)["content"]
