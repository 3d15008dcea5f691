"""`logging/setLevel`."""

from typing import Any

import pytest

from tests.protocol.client import Client
from tests.protocol.requirements import requirement
from tests.protocol.world import World

LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


@requirement("A-LOG-2", "A-LIFE-14")
@pytest.mark.parametrize("level", LEVELS)
def test_each_of_the_eight_levels_is_kept_with_the_session(world: World, ada: Client, level: str) -> None:
    assert ada.result("logging/setLevel", level=level) == {}

    session = world.ports.sessions.load(ada.caller.scope, ada.headers["mcp-session-id"])
    assert session is not None
    assert session.log_level == level


@requirement("A-LOG-2")
@pytest.mark.parametrize("level", ["verbose", "DEBUG", "", 3, None, ["info"]])
def test_any_other_level_is_refused_with_those_that_there_are(world: World, ada: Client, level: Any) -> None:
    before = world.kept()

    error = ada.refused("logging/setLevel", level=level)

    assert (error["code"], "level" in error["message"], world.kept()) == (-32602, True, before)
    assert level is None or "emergency" in error["message"]


@requirement("A-LOG-1")
def test_no_log_messages_are_sent_unasked(ada: Client) -> None:
    reply = ada.ask("tools/call", {"name": "climb", "arguments": {"steps": [1]}, "_meta": {"progressToken": 1}})

    assert reply.notes("notifications/message") == []
