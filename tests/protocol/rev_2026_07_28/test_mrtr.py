"""MRTR: a call that needs input returns its input requests, and is repeated with the responses."""

from typing import Any

import pytest

from mcp_tasks import Accepted, Context, Elicit, prompt, tool
from mcp_tasks.features.listing import Features
from tests.protocol.call_input_tools import Day, Name
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, Client
from tests.protocol.rev_2026_07_28.responses import FRIDAY, INTERVIEW, ZOE, only_key, text

ROME = {"to": "Rome"}


@requirement("B-MRTR-1", "B-MRTR-3", "B-RT-1", "B-ELI-1")
def test_an_input_request_is_asked_instead_of_the_result(ada: Client) -> None:
    pending = ada.call("introduce")

    assert isinstance(pending.pop("requestState"), str)
    assert pending == {
        "resultType": "input_required",
        "inputRequests": {
            "name": {
                "method": "elicitation/create",
                "params": {
                    "mode": "form",
                    "message": "Who are you?",
                    "requestedSchema": {
                        "type": "object",
                        "properties": {"name": {"type": "string", "title": "Name", "minLength": 2}},
                        "required": ["name"],
                    },
                },
            }
        },
    }


@requirement("B-MRTR-1", "B-MRTR-10")
def test_the_call_that_comes_again_with_the_answer_has_its_result(ada: Client) -> None:
    pending = ada.call("introduce")

    assert text(ada.retry(pending, "introduce", name=ZOE)) == "Hello, Zoë!"


@requirement("B-MRTR-8")
def test_where_answers_are_all_there_is_to_know_no_state_need_come_back(ada: Client) -> None:
    answers = {"who": ZOE, "when": FRIDAY}

    assert text(ada.result("tools/call", name="introduce", inputResponses={"name": ZOE})) == "Hello, Zoë!"
    assert text(ada.result("tools/call", name="book", arguments=ROME, inputResponses=answers)).startswith("Zoë to Rome")


@requirement("B-MRTR-1", "B-MRTR-3")
def test_several_input_requests_may_follow_each_other(ada: Client) -> None:
    who = ada.call("book", to="Rome")
    when = ada.retry(who, "book", ROME, who=ZOE)
    booked = ada.retry(when, "book", ROME, when=FRIDAY)

    assert [list(each["inputRequests"]) for each in (who, when)] == [["who"], ["when"]]
    assert text(booked) == "Zoë to Rome on friday, ticket of 9 letters"


@requirement("B-MRTR-3", "B-MRTR-10", "B-SAM-1", "B-ROOT-1", "B-ELI-1")
def test_several_things_may_be_asked_at_once(ada: Client) -> None:
    pending = ada.call("interview")

    assert {key: each["method"] for key, each in pending["inputRequests"].items()} == {
        "name": "elicitation/create",
        "word": "sampling/createMessage",
        "folders": "roots/list",
        "look": "elicitation/create",
    }
    assert text(ada.retry(pending, "interview", **INTERVIEW)) == "Zoë: Splendid [file:///a, file:///b] Accepted"


@requirement("B-MRTR-7", "B-MRTR-9")
def test_a_step_is_not_repeated_in_later_round_trips(harness: Harness, ada: Client) -> None:
    done: list[str] = []

    def do(what: str) -> tuple[str, int]:
        done.append(what)
        return what, len(done)

    @tool(tasks="never")
    def travel(context: Context) -> str:
        """Do something before, between and after two input requests."""
        before = context.step("before", lambda: do("before"))
        context.elicit("Who?", Name, key="who")
        between = context.step("between", lambda: do("between"))
        context.elicit("When?", Day, key="when")
        return f"{before} {between} {context.step('after', lambda: do('after'))}"

    harness.change(features=Features.of([travel]))
    who = ada.call("travel")
    when = ada.retry(who, "travel", who=ZOE)
    result = ada.retry(when, "travel", when=FRIDAY)

    assert text(result) == "['before', 1] ['between', 2] ['after', 3]"
    assert done == ["before", "between", "after"]


@requirement("B-MRTR-8", "B-TOOL-5")
def test_a_tool_that_asks_something_else_the_next_time_fails(harness: Harness, ada: Client) -> None:
    keys = iter(["name", "nickname", "name"])

    @tool(tasks="never")
    def forget(context: Context) -> str:
        """Ask one thing and then another."""
        context.elicit("Who?", Name, key=next(keys))
        return "nobody"

    harness.change(features=Features.of([forget]))
    pending = ada.call("forget")

    result = ada.retry(pending, "forget", name=ZOE, nickname=ZOE)

    assert (result["isError"], "'nickname'" in text(result), "'name'" in text(result)) == (True, True, True)
    assert text(ada.retry(pending, "forget", name=ZOE)) == "nobody"


@requirement("B-MRTR-8", "B-ERR-4")
def test_a_prompt_that_requests_something_else_the_next_time_fails(harness: Harness, ada: Client) -> None:
    keys = iter(["a", "b"])

    @prompt()
    def dither(context: Context) -> str:
        """Ask one thing and then another."""
        context.elicit("Who?", Name, key=next(keys))
        return "nobody"

    harness.change(features=Features.of([], [dither]))
    state = ada.result("prompts/get", name="dither")["requestState"]

    error = ada.error("prompts/get", name="dither", requestState=state, inputResponses={"a": ZOE})

    assert (error["code"], "'a'" in error["message"], "'b'" in error["message"]) == (-32603, True, True)


@requirement("B-MRTR-3")
def test_input_requests_without_a_key_are_numbered_and_one_key_cannot_name_two(harness: Harness, ada: Client) -> None:
    @tool(tasks="never")
    def quiz(context: Context, keys: list[str | None]) -> str:
        """Ask one thing after another."""
        return ", ".join(type(context.elicit("Who?", Name, key=key)).__name__ for key in keys)

    harness.change(features=Features.of([quiz]))
    arguments = {"keys": [None, "mine", None]}
    pending = [ada.call("quiz", **arguments)]
    for _ in range(3):
        pending.append(ada.retry(pending[-1], "quiz", arguments, **{only_key(pending[-1]): ZOE}))
    *input_requests, result = pending

    first, second, third = (only_key(each) for each in input_requests)
    assert (first[:9], second, third[:9]) == ("elicit-1-", "mine", "elicit-2-")
    assert first[9:] == third[9:], (
        "the same is asked, which tells the two from other input requests and not from each other"
    )
    assert text(result) == "Accepted, Accepted, Accepted"


@requirement("B-MRTR-2", "B-MRTR-10")
def test_a_prompt_and_a_resource_may_ask_too(ada: Client) -> None:
    toast = {"name": "toast", "arguments": {"occasion": "spring"}}
    diary = {"uri": "diary://today"}
    states = {
        "toast": ada.result("prompts/get", **toast)["requestState"],
        "diary": ada.result("resources/read", **diary)["requestState"],
    }

    toasted = ada.result("prompts/get", **toast, requestState=states["toast"], inputResponses={"to": ZOE})
    read = ada.result("resources/read", **diary, requestState=states["diary"], inputResponses={"reader": ZOE})

    assert toasted["messages"][0]["content"]["text"] == "A toast to Zoë, for spring."
    assert read["contents"][0]["text"] == "Dear Zoë"


@requirement("B-MRTR-4", "B-MRTR-2", "B-ERR-6")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "toast", "arguments": {"occasion": "spring"}}),
        ("resources/read", {"uri": "diary://today"}),
    ],
)
def test_neither_can_request_input_without_the_capability(plain: Client, method: str, params: dict[str, Any]) -> None:
    reply = plain.send_request(method, params)

    assert (reply.status, reply.error["code"]) == (400, -32021)
    assert reply.error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


@requirement("B-MRTR-4", "B-META-5", "B-ERR-6")
def test_each_round_trip_is_judged_by_what_it_declares_itself(ada: Client) -> None:
    pending = ada.call("book", to="Rome")
    call = {"name": "book", "arguments": ROME, "requestState": pending["requestState"], "inputResponses": {"who": ZOE}}

    reply = ada.send_request("tools/call", call, meta={CAPABILITIES: {"sampling": {}}})

    assert (reply.status, reply.error["code"]) == (400, -32021)
    assert list(ada.retry(pending, "book", ROME, who=ZOE)["inputRequests"]) == ["when"]


@requirement("B-MRTR-4")
def test_nothing_of_what_is_asked_at_once_is_asked_unless_all_of_it_can_be(ada: Client) -> None:
    declared: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}}

    reply = ada.send_request("tools/call", {"name": "interview"}, meta={CAPABILITIES: declared})

    assert reply.error["data"] == {"requiredCapabilities": {"roots": {}}}


@requirement("B-MRTR-9", "B-ERR-4")
def test_what_is_too_much_to_carry_is_an_error(harness: Harness, ada: Client) -> None:
    @tool(tasks="never")
    def hoard(context: Context, size: int) -> str:
        """Record a large step."""
        kept = context.step("hoard", lambda: "x" * size)
        answer = context.elicit("Who?", Name, key="name")
        return f"{len(kept)} for {answer.value.name if isinstance(answer, Accepted) else 'nobody'}"

    harness.change(features=Features.of([hoard]))

    pending = ada.call("hoard", size=100_000)
    error = ada.error("tools/call", name="hoard", arguments={"size": 200_000})

    assert text(ada.retry(pending, "hoard", {"size": 100_000}, name=ZOE)) == "100000 for Zoë"
    assert (error["code"], "A tool that does so should run as a task." in error["message"]) == (-32603, True)


@requirement("B-MRTR-1", "B-PROG-1")
def test_each_round_trip_sends_its_own_progress(ada: Client) -> None:
    call: dict[str, Any] = {"name": "wander"}
    first = ada.send_request("tools/call", call, meta={"progressToken": "one"})
    pending = first.response["result"]
    answers = {"requestState": pending["requestState"], "inputResponses": {only_key(pending): {"roots": []}}}

    second = ada.send_request("tools/call", call | answers, meta={"progressToken": "two"})

    sent = [
        [each["progressToken"] for each in reply.notifications("notifications/progress")] for reply in (first, second)
    ]
    assert sent == [["one"], ["two"]]
    assert second.response["result"]["content"][0]["text"] == "there with []"


@requirement("B-MRTR-8", "B-ELI-2")
@pytest.mark.parametrize("starts_inline", [False, True])
@pytest.mark.parametrize("wrong", [{"action": "accept", "content": {"name": 7}}, {"action": "agree"}, {}])
def test_an_answer_that_does_not_fit_is_rejected_before_the_rest_is_asked(
    harness: Harness, ada: Client, starts_inline: bool, wrong: Any
) -> None:
    @tool(tasks="allowed" if starts_inline else "never", starts_inline=starts_inline)
    def pair(context: Context) -> str:
        """Ask two things at once."""
        one, other = context.gather(Elicit("One?", Name, key="one"), Elicit("Other?", Name, key="other"))
        return f"{one.value.name} and {other.value.name}"

    harness.change(features=Features.of([pair]))
    both = ada.call("pair")
    again = {"name": "pair", "arguments": {}, "requestState": both["requestState"]}

    error = ada.error("tools/call", **again, inputResponses={"one": wrong})
    other = ada.retry(both, "pair", one=ZOE)

    assert (error["code"], "the answer to 'one'" in error["message"]) == (-32602, True)
    assert text(ada.retry(other, "pair", other=ZOE)) == "Zoë and Zoë"
