"""URL elicitation before a call: it has no error in this revision, but an MRTR round trip."""

from collections.abc import Iterator
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.features.listing import Features
from tests.kit import ADA
from tests.protocol import url_tools
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ABLE, ANSWERS, Client
from tests.protocol.rev_2026_07_28.responses import text
from tests.protocol.rev_2026_07_28.task_input import result_text
from tests.protocol.url_tools import CONNECTED, SITE, WHY

WENT = {"action": "accept"}


@pytest.fixture(autouse=True)
def nobody_is_connected() -> Iterator[None]:
    yield
    CONNECTED.clear()


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(url_tools.TOOLS, url_tools.PROMPTS, []))


@pytest.fixture
def bo(harness: Harness) -> Client:
    """A client with all capabilities but tasks."""
    return Client(harness, capabilities=ANSWERS)


@requirement("B-ERR-8", "B-ELI-1", "B-MRTR-3")
@pytest.mark.parametrize("tool", ["count_mail", "sort_mail"])
def test_the_user_is_sent_there_in_one_round_trip_and_the_call_is_made_in_the_next(bo: Client, tool: str) -> None:
    pending = bo.call(tool)
    CONNECTED.add(ADA.owner_key)

    result = bo.retry(pending, tool, **{"visit-1": WENT})

    assert pending["resultType"] == "input_required"
    assert pending["inputRequests"] == {
        "visit-1": {"method": "elicitation/create", "params": {"mode": "url", "message": WHY, "url": SITE}}
    }
    assert text(result) in ("3 letters", "sorted")


@requirement("B-PROG-1", "B-MRTR-3")
def test_progress_before_a_url_elicitation_is_sent_before_it(harness: Harness, bo: Client) -> None:
    @tool()
    def sort_a_part(context: Context) -> str:
        """Report progress, then require a URL elicitation."""
        context.report_progress(1)
        url_tools.connected(context)
        return "sorted"

    harness.change(features=Features.of([sort_a_part]))

    reply = bo.send_request("tools/call", {"name": "sort_a_part", "arguments": {}}, meta={"progressToken": "t"})

    assert [each["progress"] for each in reply.notifications("notifications/progress")] == [1]
    assert list(reply.response["result"]["inputRequests"]) == ["visit-1"]


@requirement("B-ELI-1", "B-MRTR-8")
@pytest.mark.parametrize("tool", ["count_mail", "sort_mail"])
def test_who_comes_back_too_early_is_sent_again(bo: Client, tool: str) -> None:
    pending = bo.call(tool)
    for _ in range(3):
        pending = bo.retry(pending, tool, **{"visit-1": WENT})
        assert list(pending["inputRequests"]) == ["visit-1"]
    CONNECTED.add(ADA.owner_key)

    assert bo.retry(pending, tool, **{"visit-1": WENT})["isError"] is False


@requirement("B-ELI-2")
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_who_does_not_go_is_not_sent_again(bo: Client, action: str) -> None:
    result = bo.retry(bo.call("count_mail"), "count_mail", **{"visit-1": {"action": action}})

    assert (result["isError"], WHY in text(result)) == (True, True)


@requirement("B-MRTR-2", "B-ERR-8")
def test_a_prompt_sends_there_too(bo: Client) -> None:
    pending = bo.result("prompts/get", name="answer_mail")
    state = {"requestState": pending["requestState"]}
    declined = bo.error("prompts/get", name="answer_mail", inputResponses={"visit-1": {"action": "decline"}}, **state)
    CONNECTED.add(ADA.owner_key)

    result = bo.result("prompts/get", name="answer_mail", inputResponses={"visit-1": WENT}, **state)

    assert (list(pending["inputRequests"]), declined["code"]) == (["visit-1"], -32602)
    assert result["messages"][0]["content"]["text"] == "Answer it."


@requirement("B-MRTR-3")
def test_several_urls_are_asked_at_once(bo: Client) -> None:
    pending = bo.call("anywhere")["inputRequests"]

    assert {key: each["params"]["url"] for key, each in pending.items()} == {
        "visit-1": "https://a.example",
        "visit-2": "https://b.example",
    }


@requirement("B-META-5", "B-MRTR-4", "B-ERR-6")
@pytest.mark.parametrize("elicitation", [None, {}, {"form": {}}])
def test_a_client_without_url_mode_gets_an_error_that_names_it(harness: Harness, elicitation: Any) -> None:
    client = Client(harness, capabilities={} if elicitation is None else {"elicitation": elicitation})

    inline = client.send_request("tools/call", {"name": "count_mail", "arguments": {}})
    behind = client.call("sort_mail")
    prompted = client.send_request("prompts/get", {"name": "answer_mail"})

    for reply in (inline, prompted):
        assert (reply.status, reply.error["code"]) == (400, -32021)
        assert reply.error["data"] == {"requiredCapabilities": {"elicitation": {"url": {}}}}
    assert (behind["isError"], "needs the client capability elicitation.url," in text(behind)) == (True, True)


@requirement("B-ERR-8", "B-ERR-10", "B-TASK-14")
def test_a_task_fails_by_a_code_of_our_own(harness: Harness) -> None:
    client = Client(harness, capabilities=ABLE)
    task_id = client.start("sort_mail")
    harness.run(task_id)

    error = client.tasks_get(task_id)["error"]

    assert (error["code"], error["message"]) == (-31051, WHY)
    assert error["data"]["elicitations"][0]["url"] == SITE


@requirement("B-ELI-1")
def test_there_are_no_ids_of_elicitations(harness: Harness, bo: Client) -> None:
    client = Client(harness, capabilities=ABLE)
    task_id = client.start("sign_in")
    harness.run(task_id)

    shown = [client.tasks_get(task_id), bo.call("sign_in"), bo.call("count_mail")]

    params = [each["params"] for result in shown for each in result["inputRequests"].values()]
    assert params == [{"mode": "url", "message": WHY, "url": SITE}] * 3
    assert bo.retry(shown[1], "sign_in", site=WENT)["isError"] is False


@requirement("B-TASK-9", "B-ERR-8")
def test_the_user_is_sent_there_before_there_is_a_task_that_could_not_be_called_again(harness: Harness) -> None:
    ada = Client(harness, capabilities=ABLE)
    pending = ada.call("archive_mail")
    before = harness.stored()
    CONNECTED.add(ADA.owner_key)

    created = ada.retry(pending, "archive_mail", **{"visit-1": WENT})
    harness.run(created["taskId"])

    assert (list(pending["inputRequests"]), created["resultType"]) == (["visit-1"], "task")
    assert "archive_mail" not in before
    assert result_text(ada, created["taskId"]) == "archived"
