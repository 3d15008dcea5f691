"""docs/input-requests.md: its code runs, and succeeds and fails as the page says."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from mcp_tasks import Caller, Context, Tool, UrlElicitationRequired
from mcp_tasks.authoring.control_signals import InputNeeded
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import ContinuesAsTask, run_tool
from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.model import JSON, InputResponse, Returned
from mcp_tasks.testing.harness import Harness
from tests.docs.blocks import blocks
from tests.kit import ADA
from tests.unit.contexts import Answers, accepted, plain, run_context, run_to_end, sampled

PAGE = "docs/input-requests.md"


@cache
def names() -> dict[str, Any]:
    """Return what the page's blocks of Python define, one after the other."""
    found: dict[str, Any] = {"__name__": "input_requests"}
    for block in blocks(PAGE, "python"):
        exec(compile(block, "input-requests.md", "exec"), found)
    return found


def called(tool: str, **arguments: JSON) -> Callable[[Context], str]:
    """Return what calls a tool of the page, and returns its text."""
    found: Tool = names()[tool]

    def call(context: Context) -> str:
        text: str = found.work.call(arguments, context).result["content"][0]["text"]
        return text

    return call


def test_the_example_publishes_under_the_name_that_it_chose_in_its_first_run() -> None:
    keys, reported = run_to_end(called("publish", text="abc"), {"approval": accepted(title="ABC", readers="all")})

    ((name, published),) = names()["SHELF"].items()
    assert keys == ["approval"]
    assert (published, reported) == ("ABC: abc", f"Published as {name} for all.")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_the_example_takes_no_for_an_answer(action: str) -> None:
    *_, reported = run_to_end(called("publish", text="abc"), {"approval": {"action": action}})

    assert reported == "Not published: the user did not approve."


def test_the_inline_start_asks_then_goes_on_as_a_task_which_asks_in_its_turn() -> None:
    def starts_inline() -> InlineJournal:
        replay_log: ReplayLog[Mapping[str, JSON]] = ReplayLog(responses={"key": accepted(name="ada")})
        return InlineJournal(
            replay_log=replay_log, client_capabilities=frozenset({"elicitation.form"}), may_become_task=True
        )

    journal = starts_inline()
    ended = run_tool(names()["deploy"], {"target": "site"}, Context(caller=ADA, journal=journal))
    *keys, reported = run_to_end(called("deploy", target="site"), {"key": accepted(name="ada"), "switch": accepted()})

    assert ended == ContinuesAsTask()
    assert (journal.initial_state().requested, journal.initial_state().status_message) == (("key",), "queued")
    assert (keys, reported) == ([["key"], ["switch"]], "site is live, by ada")
    again = Context(caller=ADA, journal=starts_inline())
    assert called("deploy", target="site")(again) == reported, "the second call needs no task"


ANSWERS: Mapping[str, JSON] = {"readers": accepted(), "roots": {"roots": []}, "abstract": sampled("in short")}


def test_several_things_are_asked_at_once_and_the_rest_after_them() -> None:
    reported = run_to_end(called("introduce", text="abc"), ANSWERS)

    assert reported == [["readers", "roots"], ["abstract"], "Accepted, 0 folders, in short"]


@pytest.mark.parametrize("response", [InputResponse(), InputResponse(error={"code": -1, "message": "no"})])
def test_what_is_said_of_no_answer_holds(response: InputResponse, monkeypatch: pytest.MonkeyPatch) -> None:
    context = run_context()
    monkeypatch.setattr(type(context.journal), "request_input", lambda _, keys: [response] * len(keys))

    assert names()["abstract"]("abc", context) == "no abstract"
    if response.error is None:
        assert called("introduce", text="abc")(run_context()) == "Declined, 0 folders, no abstract"


def test_who_cannot_be_asked_is_not_asked() -> None:
    assert names()["abstract"]("abc", run_context(client_capabilities=frozenset())) == "no abstract"


def test_the_first_mistake_is_one_and_its_remedy_is_none() -> None:
    assert run_to_end(called("order", item="tea"), {"wrap": accepted()})[0] == ["wrap"]
    assert (names()["DRAFTS"], names()["ORDERS"]) == (["tea", "tea"], ["tea"])


def test_the_second_mistake_is_noticed_in_the_words_of_the_page() -> None:
    replay_log = Answers()
    for _ in range(2):
        with pytest.raises(InputNeeded) as ends:
            called("go_on")(run_context(replay_log))
        replay_log.responses |= {input_request.key: accepted() for input_request in ends.value.input_requests}
        replay_log = Answers(responses=replay_log.responses, steps=replay_log.steps, requested=replay_log.requested)
    outcome = run_tool(names()["go_on"], {}, run_context(replay_log))

    (block,) = blocks(PAGE, "text")
    shown = " ".join(block.split())
    assert isinstance(outcome, Returned)
    reported = outcome.result["content"][0]["text"]
    assert [plain(key) for key in replay_log.requested] == ["elicit-1", "elicit-2"]
    assert re.sub(r"-\w{6}'", "'", reported) == re.sub(r"-\w{6}'", "'", shown)


def test_the_mailbox_is_counted_once_it_is_connected() -> None:
    with pytest.raises(UrlElicitationRequired) as demanded:
        called("count_mail")(run_context())
    names()["MAILBOXES"][ADA.owner_key] = "token"

    ((visit,), answer) = demanded.value.data["elicitations"], called("count_mail")(run_context())

    assert visit["url"].endswith(f"?visit={visit['elicitationId']}")
    assert answer == "5"


def test_a_refund_is_decided_by_somebody_else() -> None:
    harness = Harness(Features.of([names()["refund"]]))
    task = harness.client(caller=ADA, capabilities={}).start_task("refund", {"order": "A7"})
    grace = harness.client(caller=Caller(tenant=ADA.tenant, subject="grace", roles=frozenset({"finance"})))
    (waiting,) = grace.call_tool("approval_list").structured["approvals"]

    assert task.status_message == "Waits for an answer of role finance."
    grace.call_tool("approval_decide", {"id": waiting["id"], "action": "accept", "content": {"amount": 7}})
    assert task.wait().text == "7 refunded, as grace decided."
