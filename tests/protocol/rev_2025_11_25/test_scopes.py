"""The scopes of streams: what is sent on one needs those of the request for it, whenever that is."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Returned
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.scoped_features import ALL, SCOPED, STAGE

TASKS = "io.modelcontextprotocol/tasks"


@pytest.fixture
def harness() -> Harness:
    made = Harness(SCOPED)
    made.change(scopes=STAGE)
    return made


def granted(*scopes: str) -> Caller:
    """Return Ada with these scopes."""
    return replace(ADA, scopes=frozenset(scopes))


def client(harness: Harness, capabilities: dict[str, Any]) -> Client:
    """Return a client whose caller has all scopes, and can answer input requests."""
    made = Client(harness, granted(*ALL))
    made.initialize({"elicitation": {"form": {}}, **capabilities})
    return made


@requirement("B-AUTH-2")
@pytest.mark.parametrize(("augmented", "needed"), [(True, "read"), (False, "call pay")], ids=["tasks/result", "call"])
def test_a_stream_is_resumed_with_the_scopes_of_the_request_that_it_answers(
    harness: Harness, augmented: bool, needed: str
) -> None:
    old = client(harness, {"tasks": {}})
    if augmented:
        begun = old.send_request("tasks/result", {"taskId": old.start("settle")})
    else:
        begun = old.send_request("tools/call", {"name": "settle"})

    old.caller = granted(*ALL - {needed.split()[0]})
    refused = old.resume(begun.last_event_id)
    assert (refused.status, refused.message["error"]["data"]["scope"]) == (403, needed)
    assert f'scope="{needed}"' in refused.headers["www-authenticate"]

    old.caller = granted(*needed.split())
    assert old.resume(begun.last_event_id).status == 200


@requirement("B-AUTH-2")
@pytest.mark.parametrize(("scopes", "told"), [(ALL, 1), (ALL - {"read"}, 0)], ids=["all", "not read"])
def test_a_session_is_notified_of_its_tasks_with_the_scopes_for_reading(
    harness: Harness, scopes: frozenset[str], told: int
) -> None:
    old = client(harness, {"extensions": {TASKS: {}}})
    harness.idle = True
    place = old.resume(None).last_event_id
    harness.finish(old.call("settle")["taskId"], Returned(result={"content": []}))

    old.caller = granted(*scopes)
    assert len(old.resume(place).notifications("notifications/tasks")) == told
