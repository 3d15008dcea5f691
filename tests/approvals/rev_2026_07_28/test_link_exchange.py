"""A tab exchanges its link once for a credential of its own; a link that was used shows nothing any more."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.engine.current_call import noting
from mcp_tasks.security.links import NOBODYS, PURPOSE, Links
from mcp_tasks.tasks.notifications import Occasion
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness
from tests.approvals.people import ADA, CANNOT_BE_ASKED, FORM, GRACE, decide, inbox

REVISION = "2026-07-28"
NONCE, OTHER = "n" * 22, "m" * 22
MINUTE = timedelta(minutes=1)
USED = "This link was opened before."


@pytest.fixture
def waiting(harness: Harness) -> Any:
    harness.client(REVISION, ADA, capabilities=CANNOT_BE_ASKED).start_task("ask_grace")
    (found,) = inbox(harness, GRACE, REVISION)
    return found


def held(harness: Harness, text: str) -> Client:
    """Return a client with a link, or with what one was exchanged for."""
    return harness.client(REVISION, Links(signer=harness.server.signer).read(text))


def link(harness: Harness, approval: str) -> str:
    made = harness.client(REVISION, GRACE).call_tool("approval_link", {"id": approval}).structured["link"]
    return str(made.rpartition("/")[2])


def opened(client: Client, nonce: str = NONCE) -> str | None:
    credential: str | None = client.call_tool("approval_open", {"nonce": nonce}).structured["credential"]
    return credential


def test_credential_of_an_exchange_decides_and_the_link_does_not_any_more(harness: Harness, waiting: Any) -> None:
    secret = link(harness, waiting["id"])
    client, name = held(harness, secret), sha256(secret.removeprefix("link~").encode()).hexdigest()[:32]
    with noting() as noted:
        credential = opened(client)
    assert credential is not None
    assert noted.happened == {("approval.opened", name): {}}

    accept = {"id": waiting["id"], "action": "accept", "content": FORM}
    for tool, arguments in (("approval_list", {}), ("approval_decide", accept)):
        with noting() as noted:
            refused = client.call_tool(tool, arguments)
        assert (refused.is_error, refused.text[: len(USED)], noted["reason"]) == (True, USED, "used_link")

    tab = held(harness, credential)
    assert tab.call_tool("approval_list").structured["approvals"] == [waiting]
    assert not tab.call_tool("approval_decide", accept).is_error
    assert inbox(harness, GRACE, REVISION) == []


def test_link_that_no_tab_exchanged_decides_as_in_the_release_before(harness: Harness, waiting: Any) -> None:
    said = {"tenant": "acme", "subject": "grace", "approval": waiting["id"]}
    signed = harness.server.signer.sign(said, purpose=PURPOSE, owner_key=NOBODYS, lifetime=timedelta(hours=1))
    program = held(harness, f"link~{signed}")

    assert program.call_tool("approval_list").structured["approvals"] == [waiting]
    assert not program.call_tool("approval_decide", {"id": waiting["id"], "action": "decline"}).is_error


def test_link_of_the_release_before_is_exchanged_once(harness: Harness, waiting: Any) -> None:
    said = {"tenant": "acme", "subject": "grace", "approval": waiting["id"]}
    signed = harness.server.signer.sign(said, purpose=PURPOSE, owner_key=NOBODYS, lifetime=timedelta(hours=1))
    client = held(harness, f"link~{signed}")

    assert opened(client) is not None
    assert opened(client, OTHER) is None


def test_same_nonce_gets_the_same_credential_for_a_minute_and_no_other_nonce_gets_one(
    harness: Harness, waiting: Any
) -> None:
    client = held(harness, link(harness, waiting["id"]))
    first = opened(client)

    harness.clock.advance(MINUTE - timedelta(seconds=1))
    assert first == opened(client)
    assert opened(client, OTHER) is None
    harness.clock.advance(timedelta(seconds=2))
    with noting() as noted:
        assert opened(client) is None
    assert noted["reason"] == "used_link"


def test_exchange_of_one_link_leaves_another_link_to_the_same_approval_good(harness: Harness, waiting: Any) -> None:
    first, second = (link(harness, waiting["id"]) for _ in range(2))

    assert opened(held(harness, first)) is not None

    assert held(harness, second).call_tool("approval_list").structured["approvals"] == [waiting]


def test_credential_cannot_be_exchanged_again(harness: Harness, waiting: Any) -> None:
    credential = opened(held(harness, link(harness, waiting["id"])))

    assert credential is not None
    assert held(harness, credential).call_tool("approval_open", {"nonce": OTHER}).is_error


@pytest.mark.parametrize("nonce", ["n" * 21, "n" * 101, "n" * 21 + "+", "\u00e9" * 22, 7, None])
def test_nonce_that_could_be_guessed_is_refused_and_uses_nothing(harness: Harness, waiting: Any, nonce: Any) -> None:
    client = held(harness, link(harness, waiting["id"]))

    assert "22 to 100 letters" in client.call_tool("approval_open", {"nonce": nonce}).text

    assert opened(client) is not None


def test_holder_of_a_used_link_is_told_the_same_whatever_became_of_the_approval(harness: Harness, waiting: Any) -> None:
    client = held(harness, link(harness, waiting["id"]))
    opened(client)

    def told() -> list[str]:
        calls: list[tuple[str, dict[str, Any]]] = [("approval_list", {}), ("approval_remind", {})]
        calls += [("approval_decide", {"id": waiting["id"], "action": "decline"})]
        return [client.call_tool(tool, arguments).text for tool, arguments in calls]

    while_it_waits, soon_again = told(), told()
    decide(harness, GRACE, REVISION, waiting["id"], "decline")

    assert while_it_waits == soon_again == told()
    nobodys = Caller(tenant="acme", subject="grace", approval=f"subject:x#{'1' * 13}-{'a' * 32}")
    assert harness.client(REVISION, nobodys).call_tool("approval_remind").text == while_it_waits[1]


def test_audience_is_told_again_at_most_three_times_an_hour(harness: Harness, waiting: Any) -> None:
    client = held(harness, link(harness, waiting["id"]))
    opened(client)
    harness.run_until_idle()
    before = len(harness.notifications)

    for _ in range(60):
        client.call_tool("approval_remind")
        harness.clock.advance(MINUTE)

    (first, second, third) = harness.notifications[before:]
    assert {each.occasion for each in (first, second, third)} == {Occasion.REMINDED}
    assert {each.approval for each in (first, second, third)} == {waiting["id"]}
    assert len({first.id, second.id, third.id}) == 3


@pytest.mark.parametrize("tool", ["approval_open", "approval_remind"])
def test_tools_of_links_are_there_for_nobody_else(harness: Harness, waiting: Any, tool: str) -> None:
    client: Any = harness.client(REVISION, GRACE)

    reply = client.send_request("tools/call", {"name": tool, "arguments": {}}, mcp_name=tool)

    assert reply.message["error"]["message"].startswith(f"There is no tool '{tool}'")
    assert tool not in {each["name"] for each in client.request("tools/list", {})["tools"]}


def test_authorizer_of_the_release_before_names_no_link_and_the_holder_may_try_again(
    harness: Harness, waiting: Any
) -> None:
    named = Links(signer=harness.server.signer).read(link(harness, waiting["id"]))
    unnamed = harness.client(REVISION, replace(named, link=None, until=None))

    result = unnamed.call_tool("approval_open", {"nonce": NONCE})

    assert (result.is_error, "try again in a minute" in result.text) == (True, True)
    assert opened(harness.client(REVISION, named)) is not None
