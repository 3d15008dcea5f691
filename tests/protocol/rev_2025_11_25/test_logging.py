"""`logging/setLevel`, and which log messages are sent."""

from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.wire.rev_2025_11_25.adapters import session_store
from tests.protocol import prompts_and_resources, sample_tools
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

CHATTER = {"name": "chatter", "arguments": {"levels": ["debug", "notice", "alert"]}}
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


@requirement("A-LOG-2", "A-LIFE-14")
@pytest.mark.parametrize("level", LEVELS)
def test_each_of_the_eight_levels_is_kept_with_the_session(harness: Harness, ada: Client, level: str) -> None:
    assert ada.result("logging/setLevel", level=level) == {}

    session = session_store(harness.ports.storage).load(ada.caller.owner_key, ada.headers["mcp-session-id"])
    assert session is not None
    assert session.log_level == level


@requirement("A-LOG-2")
@pytest.mark.parametrize("level", ["verbose", "DEBUG", "", 3, None, ["info"]])
def test_any_other_level_is_rejected_with_those_that_there_are(harness: Harness, ada: Client, level: Any) -> None:
    before = harness.kept()

    error = ada.error("logging/setLevel", level=level)

    assert (error["code"], "level" in error["message"], harness.kept()) == (-32602, True, before)
    assert level is None or "emergency" in error["message"]


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of([*sample_tools.TOOLS, *prompts_and_resources.TOOLS]))


@requirement("A-LOG-2")
@pytest.mark.parametrize(
    ("level", "sent"), [("debug", ["debug", "notice", "alert"]), ("notice", ["notice", "alert"]), ("emergency", [])]
)
def test_log_messages_of_the_level_and_above_are_sent(ada: Client, level: str, sent: list[str]) -> None:
    ada.result("logging/setLevel", level=level)

    reply = ada.send_request("tools/call", CHATTER)

    assert reply.notifications("notifications/message") == [
        {"level": each, "logger": "chatter", "data": {"said": each}} for each in sent
    ]
    assert (reply.streamed, reply.response["result"]["isError"]) == (bool(sent), False)


@requirement("A-LOG-2")
def test_the_level_is_the_sessions_own_and_another_one_replaces_it(harness: Harness, ada: Client) -> None:
    other = Client(harness)
    other.initialize()
    for level in ("alert", "notice"):
        ada.result("logging/setLevel", level=level)

    assert len(ada.send_request("tools/call", CHATTER).notifications("notifications/message")) == 2
    assert not other.send_request("tools/call", CHATTER).streamed


@requirement("A-LOG-3")
def test_of_very_many_log_messages_only_the_last_are_sent(ada: Client) -> None:
    ada.result("logging/setLevel", level="debug")
    call = {"name": "chatter", "arguments": {"levels": ["debug"] * 50 + ["info"] * 100}}

    sent = ada.send_request("tools/call", call).notifications("notifications/message")

    assert [each["level"] for each in sent] == ["info"] * 100


@requirement("A-LOG-1")
def test_no_log_messages_are_sent_unasked(ada: Client) -> None:
    reply = ada.send_request(
        "tools/call", {"name": "climb", "arguments": {"steps": [1]}, "_meta": {"progressToken": 1}}
    )

    assert reply.notifications("notifications/message") == []
