"""URL elicitation: the error that requires it, and the notification of its completion."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.testing.replies import Reply
from tests.kit import ADA, BOB
from tests.protocol import prompts_and_resources, url_tools
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.url_tools import CONNECTED, SITE, WHY

URLS: Final[Mapping[str, Any]] = {"elicitation": {"form": {}, "url": {}}, "tasks": {}}
DEMANDED: Final = {
    "code": -32042,
    "message": WHY,
    "data": {"elicitations": [{"mode": "url", "elicitationId": "el-1", "url": SITE, "message": WHY}]},
}


@pytest.fixture(autouse=True)
def nobody_is_connected() -> Iterator[None]:
    yield
    CONNECTED.clear()


@pytest.fixture(params=["watched", "unwatched"])
def harness(request: pytest.FixtureRequest) -> Harness:
    """A server with and without subscribable resources, since streams are held differently then."""
    resources = prompts_and_resources.RESOURCES if request.param == "watched" else []
    return Harness(Features.of([*url_tools.TOOLS, *prompts_and_resources.TOOLS], url_tools.PROMPTS, resources))


def session(harness: Harness, caller: Any = ADA, capabilities: Mapping[str, Any] = URLS) -> Client:
    client = Client(harness, caller)
    client.initialize(capabilities)
    return client


@pytest.fixture
def ada(harness: Harness) -> Client:
    return session(harness)


def done(reply: Reply) -> list[str]:
    return [each["elicitationId"] for each in reply.notifications("notifications/elicitation/complete")]


def connect(harness: Harness, caller: Any = ADA) -> None:
    """Complete the elicitation at the site, which then reports it to the server."""
    CONNECTED.add(caller.owner_key)
    harness.server.subscriptions.complete(caller, "el-1")


@requirement("A-ELI-5", "A-ELI-2")
@pytest.mark.parametrize("tool", ["count_mail", "sort_mail"])
def test_a_call_is_rejected_until_the_user_was_there(harness: Harness, ada: Client, tool: str) -> None:
    before = ada.error("tools/call", name=tool)
    connect(harness)

    assert before == DEMANDED
    assert ada.result("tools/call", name=tool)["isError"] is False


@requirement("A-ELI-5", "A-TASK-23")
def test_a_task_ends_in_that_error_as_its_call_would_have(harness: Harness, ada: Client) -> None:
    task_id = ada.start("sort_mail")
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.run(task_id)

    assert ada.resume(place).response["error"] == ada.error("tasks/result", taskId=task_id) == DEMANDED


@requirement("A-ELI-5")
def test_a_prompt_is_rejected_until_the_user_was_there(harness: Harness, ada: Client) -> None:
    assert ada.error("prompts/get", name="answer_mail") == DEMANDED


@requirement("A-ELI-5", "A-ELI-2")
def test_url_elicitations_without_an_id_get_one_that_nobody_can_guess(ada: Client) -> None:
    demanded = [ada.error("tools/call", name="anywhere")["data"]["elicitations"] for _ in range(2)]

    ids = {each["elicitationId"] for elicitations in demanded for each in elicitations}
    assert (len(ids), min(map(len, ids)) >= 20) == (4, True)
    assert [each["url"] for each in demanded[0]] == ["https://a.example", "https://b.example"]


@requirement("A-ELI-1", "A-ELI-5", "A-LIFE-9")
@pytest.mark.parametrize("elicitation", [None, {}, {"form": {}}])
def test_a_client_without_url_mode_gets_an_error_that_says_so(harness: Harness, elicitation: Any) -> None:
    other = session(harness, capabilities={} if elicitation is None else {"elicitation": elicitation})

    results = [other.result("tools/call", name=tool) for tool in ("count_mail", "sort_mail")]
    rejected = other.error("prompts/get", name="answer_mail")

    assert all(
        each["isError"] and "needs the client capability elicitation.url," in each["content"][0]["text"]
        for each in results
    )
    assert (rejected["code"], "needs the client capability elicitation.url," in rejected["message"]) == (-32600, True)


@requirement("A-ELI-6", "A-SSE-13")
def test_the_completion_is_sent_once_to_the_client_whose_call_was_rejected(harness: Harness, ada: Client) -> None:
    ada.error("tools/call", name="count_mail")
    early = ada.resume(None)
    connect(harness)

    replies = [ada.resume(None) for _ in range(3)]

    assert (done(early), [done(reply) for reply in replies]) == ([], [["el-1"], [], []])


@requirement("A-ELI-6", "A-LIFE-7", "A-SSE-13")
@pytest.mark.parametrize("waits", [False, True], ids=["listens", "waits for a task"])
def test_the_completion_is_kept_for_a_client_until_it_is_initialized(harness: Harness, waits: bool) -> None:
    eager = Client(harness)
    params = {"protocolVersion": "2025-11-25", "capabilities": URLS, "clientInfo": {"name": "n", "version": "1"}}
    eager.headers = {"mcp-session-id": eager.send_request("initialize", params).headers["mcp-session-id"]}
    eager.error("tools/call", name="count_mail")
    opened = eager.send_request("tasks/result", {"taskId": eager.start("sort_mail")}) if waits else eager.resume(None)
    connect(harness)

    silent = eager.resume(opened.last_event_id)
    eager.send_notification("notifications/initialized")

    assert [silent.messages, done(eager.resume(silent.last_event_id))] == [[], ["el-1"]]


@requirement("A-ELI-6", "A-ELI-8")
def test_nobody_else_is_notified(harness: Harness, ada: Client) -> None:
    own, colleague = session(harness), session(harness, BOB)
    ada.error("tools/call", name="count_mail")
    colleague.error("tools/call", name="count_mail")
    connect(harness)

    assert [done(client.resume(None)) for client in (own, colleague, ada)] == [[], [], ["el-1"]]


@requirement("A-ELI-6")
def test_a_stream_that_waits_for_a_task_carries_it_too(harness: Harness, ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start("sort_mail")}).last_event_id
    ada.error("tools/call", name="count_mail")
    connect(harness)

    sent = ada.resume(place)

    assert (done(sent), done(ada.resume(sent.last_event_id)), done(ada.resume(None))) == (["el-1"], [], [])


@requirement("A-ELI-6", "A-ELI-2")
def test_a_tool_reports_the_completion_of_its_elicitation(harness: Harness, ada: Client) -> None:
    task_id, other = ada.start("sign_in"), session(harness)
    harness.run(task_id)
    input_requests = [
        client.send_request("tasks/result", {"taskId": task_id}).input_requests[0] for client in (ada, other)
    ]

    ada.respond(input_requests[0], {"action": "accept"})

    assert [input_request["params"]["elicitationId"] for input_request in input_requests] == ["el-2", "el-2"]
    assert input_requests[0]["id"] != input_requests[1]["id"]
    assert [done(client.resume(None)) for client in (ada, other, ada, other)] == [["el-2"], ["el-2"], [], []]


@requirement("A-ELI-6")
def test_a_completion_that_is_reported_twice_is_sent_once(harness: Harness, ada: Client) -> None:
    ada.error("tools/call", name="count_mail")
    connect(harness)
    connect(harness)
    sent = [done(ada.resume(None))]
    connect(harness)

    assert [*sent, done(ada.resume(None))] == [["el-1"], []]


@requirement("A-ELI-6", "A-RES-4")
def test_changes_of_resources_are_sent_beside_it(harness: Harness, ada: Client) -> None:
    harness.change(features=Features.of(url_tools.TOOLS, [], prompts_and_resources.RESOURCES))
    ada.result("resources/subscribe", uri="weather://now")
    ada.error("tools/call", name="count_mail")
    connect(harness)
    harness.server.subscriptions.publish(ADA, "weather://now")

    reply = ada.resume(None)

    assert done(reply) == ["el-1"]
    assert reply.notifications("notifications/resources/updated") == [{"uri": "weather://now"}]


@requirement("A-ELI-5", "B-DUAL-14")
def test_it_is_demanded_before_there_is_a_task_of_the_servers(harness: Harness) -> None:
    ada = session(harness, capabilities={**URLS, "extensions": {"io.modelcontextprotocol/tasks": {}}})
    demanded = ada.error("tools/call", name="archive_mail", arguments={})
    before = harness.stored()
    connect(harness)

    assert (demanded, "archive_mail" in before) == (DEMANDED, False)
    assert ada.result("tools/call", name="archive_mail", arguments={})["resultType"] == "task"
