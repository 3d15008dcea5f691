"""`requestState`: no client can read it, change it, or use it for anything else."""

import base64
import re
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from mcp_tasks import Context, Message, prompt, tool
from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.features.listing import Features
from mcp_tasks.security.encryption import Encryptor
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from tests.kit import BOB, EVE
from tests.protocol.call_input_tools import SECRET, Name
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CLIENT, Client
from tests.protocol.rev_2026_07_28.responses import FRIDAY, ZOE, accept

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
BOOK: dict[str, Any] = {"name": "book", "arguments": {"to": "Rome"}}


def booking(ada: Client) -> str:
    """Return the state of a call that has recorded a secret and one of two responses."""
    state = ada.retry(ada.call("book", to="Rome"), "book", {"to": "Rome"}, who=ZOE)["requestState"]
    assert isinstance(state, str)
    return state


def finished(client: Client, state: Any, **changes: Any) -> bool:
    """Return whether the call succeeds with this state, or is rejected because of it."""
    reply = client.send_request(
        "tools/call", BOOK | {"inputResponses": {"when": FRIDAY}, "requestState": state} | changes
    )
    if "result" in reply.message:
        return bool(reply.message["result"]["resultType"] == "complete")
    assert (reply.status, reply.error["code"], "requestState" in reply.error["message"]) == (200, -32602, True)
    return False


@requirement("B-MRTR-6", "B-MRTR-7")
def test_what_steps_gave_and_users_said_cannot_be_read_in_it(ada: Client) -> None:
    answered = ada.retry(ada.call("book", to="Rome"), "book", {"to": "Rome"}, who=accept(name="Washburne"))
    state = answered["requestState"]
    quartets = [part[cut : cut + (len(part) - cut) // 4 * 4] for part in state.split(".") for cut in range(4)]
    texts = [state.encode(), *(base64.urlsafe_b64decode(each) for each in quartets)]

    assert b"memory" in texts[1]
    for secret in (SECRET, "Washburne", "draw", "Rome"):
        assert not any(secret.encode() in text for text in texts)


@requirement("B-MRTR-6")
def test_two_states_of_the_same_call_have_nothing_in_common_but_their_label(ada: Client) -> None:
    one, other = (booking(ada).split(".") for _ in range(2))

    assert one[0] == other[0]
    assert one[1][:16] != other[1][:16]


@requirement("B-MRTR-6")
def test_it_fits_into_json_and_urls(ada: Client) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", booking(ada))


@requirement("B-MRTR-6")
def test_every_letter_of_it_counts(harness: Harness, ada: Client) -> None:
    state = booking(ada)
    before = harness.kept()
    assert finished(ada, state)

    for at in range(len(state)):
        other = "A" if state[at] != "A" else "B"
        assert not finished(ada, state[:at] + other + state[at + 1 :])

    assert harness.kept() == before


@requirement("B-MRTR-6")
def test_parts_of_several_make_none(harness: Harness, ada: Client) -> None:
    (early, body), (_, other) = booking(ada).split("."), booking(ada).split(".")
    harness.clock.advance(SECOND)
    late, _ = booking(ada).split(".")

    for forged in (
        f"{late}.{body}",
        f"{early}.{other[:20]}{body[20:]}",
        early,
        body,
        f".{body}",
        f"{early}.",
        f"{early}.{body}.x",
    ):
        assert not finished(ada, forged)


@requirement("B-MRTR-6", "B-MRTR-8")
@pytest.mark.parametrize(
    "state",
    ["", "forged", ".", "a.b", "e30.e30", "W10.W10", "é", "\x00", "[" * 5_000, "z" * 300_000],
    ids=lambda s: s[:9],
)
def test_what_was_never_given_is_rejected(harness: Harness, ada: Client, state: str) -> None:
    before = harness.kept()

    assert (finished(ada, state), harness.kept()) == (False, before)


@requirement("B-MRTR-8")
@pytest.mark.parametrize("state", [7, True, [], {}])
def test_what_is_no_text_is_no_state(ada: Client, state: Any) -> None:
    assert not finished(ada, state)


@requirement("B-MRTR-7")
@pytest.mark.parametrize("thief", [BOB, EVE, ANONYMOUS])
def test_it_is_for_its_caller_only(harness: Harness, ada: Client, thief: Caller) -> None:
    state = booking(ada)
    stranger = Client(harness, thief)

    stolen, forged = (
        stranger.send_request("tools/call", BOOK | {"requestState": each}, id=1) for each in (state, "forged")
    )

    assert (stolen.status, stolen.body) == (200, forged.body)
    assert stolen.error["code"] == -32602
    assert finished(ada, state)


@requirement("B-MRTR-7")
@pytest.mark.parametrize(
    "changes",
    [
        {"arguments": {"to": "Paris"}},
        {"arguments": {"to": "Rome", "more": None}},
        {"arguments": {}},
        {"arguments": None},
        {"name": "introduce"},
        {"task": {}},
        {"whatever": 1},
    ],
)
def test_it_is_for_its_call_only(ada: Client, changes: dict[str, Any]) -> None:
    state = booking(ada)

    assert not finished(ada, state, **changes)
    assert finished(ada, state)


@requirement("B-MRTR-7")
def test_it_is_for_its_method_only(harness: Harness, ada: Client) -> None:
    def ask(context: Context) -> str:
        """Ask for a name."""
        return f"{context.step('secret', lambda: SECRET)} {context.elicit('Who?', Name, key='name')}"

    harness.change(features=Features.of([tool(name="ask", tasks="never")(ask)], [prompt(name="ask")(ask)]))
    states = [ada.result(method, name="ask")["requestState"] for method in ("tools/call", "prompts/get")]

    for method, state in zip(("prompts/get", "tools/call"), states, strict=True):
        error = ada.error(method, name="ask", requestState=state, inputResponses={"name": ZOE})
        assert (error["code"], "another call" in error["message"]) == (-32602, True)


@requirement("B-MRTR-7")
@pytest.mark.parametrize("meta", [{"progressToken": 7}, {CLIENT: None}, {"com.example/x": 1}])
def test_what_a_client_says_of_itself_may_differ_from_round_trip_to_round_trip(
    ada: Client, meta: dict[str, Any]
) -> None:
    assert finished(ada, booking(ada), _meta=meta)


@requirement("B-MRTR-7")
def test_the_order_of_arguments_means_nothing(harness: Harness, ada: Client) -> None:
    @tool(tasks="never")
    def pair(context: Context, a: int, b: int) -> str:
        """Ask for a name."""
        return f"{a} {b} {type(context.elicit('Who?', Name, key='name')).__name__}"

    harness.change(features=Features.of([pair]))
    pending = ada.call("pair", a=1, b=2)

    assert ada.retry(pending, "pair", {"b": 2, "a": 1}, name=ZOE)["content"][0]["text"] == "1 2 Accepted"


@requirement("B-MRTR-7")
def test_it_is_good_for_an_hour_and_not_then(harness: Harness, ada: Client) -> None:
    state = booking(ada)
    harness.clock.advance(HOUR - SECOND)
    assert finished(ada, state)
    harness.clock.advance(SECOND)

    assert not finished(ada, state)


@requirement("B-MRTR-7")
@pytest.mark.parametrize("after", [-SECOND, timedelta()])
def test_how_long_it_is_good_for_is_a_setting(harness: Harness, ada: Client, after: timedelta) -> None:
    harness.change(request_state_lifetime=2 * HOUR)
    state = booking(ada)
    harness.clock.advance(2 * HOUR + after)

    assert bool(finished(ada, state)) is (after < timedelta())


@requirement("B-MRTR-7")
def test_each_round_trip_has_an_hour_of_its_own(harness: Harness, ada: Client) -> None:
    pending = ada.call("book", to="Rome")
    harness.clock.advance(HOUR - SECOND)
    again = ada.retry(pending, "book", {"to": "Rome"}, who=ZOE)
    harness.clock.advance(HOUR - SECOND)

    assert finished(ada, again["requestState"])


@requirement("B-MRTR-7")
def test_it_may_come_back_twice_and_repeats_no_step(harness: Harness, ada: Client) -> None:
    numbers = count(1)

    @tool(tasks="never")
    def draw(context: Context) -> str:
        """Draw a number, then ask."""
        number = context.step("draw", lambda: next(numbers))
        return f"{number} {type(context.elicit('Who?', Name, key='name')).__name__}"

    harness.change(features=Features.of([draw]))
    pending = ada.call("draw")

    results = [ada.retry(pending, "draw", name=ZOE)["content"][0]["text"] for _ in range(2)]

    assert (results, next(numbers)) == (["1 Accepted", "1 Accepted"], 2)


@requirement("B-MRTR-6")
def test_another_key_decrypts_nothing(harness: Harness, ada: Client) -> None:
    state = booking(ada)
    harness.change(encryptor=Encryptor(keys=MemoryKeys(b"another key"), clock=harness.clock))

    assert not finished(ada, state)


@requirement("B-MRTR-6", "B-PAG-1")
def test_a_cursor_is_no_state_and_the_other_way_round(ada: Client) -> None:
    cursor = ada.result("tools/list")["nextCursor"]

    assert not finished(ada, cursor)
    assert ada.error("tools/list", cursor=booking(ada))["code"] == -32602


@requirement("B-MRTR-6")
def test_a_forged_state_reveals_nothing_even_if_all_else_is_wrong(ada: Client) -> None:
    call = {"name": "introduce", "arguments": {"politely": "very"}, "requestState": "forged"}

    assert ada.error("tools/call", **call)["message"] == (
        "The requestState is not as it was given, or too old: call anew."
    )


@requirement("B-MRTR-7", "B-PRM-1")
def test_the_state_of_a_prompt_is_for_its_arguments_only(ada: Client) -> None:
    toast = {"name": "toast", "arguments": {"occasion": "spring"}}
    state = ada.result("prompts/get", **toast)["requestState"]
    answers = {"requestState": state, "inputResponses": {"to": ZOE}}

    error = ada.error("prompts/get", **toast | {"arguments": {"occasion": "autumn"}}, **answers)

    assert error["code"] == -32602
    assert ada.result("prompts/get", **toast, **answers)["messages"] == [
        Message("user", "A toast to Zoë, for spring.").shown
    ]


class CountingKeys(MemoryKeys):
    """Keys that count decryptions."""

    found = 0

    def find(self, name: str) -> bytes | None:
        """Return the key."""
        self.found += 1
        return super().find(name)


@requirement("B-MRTR-7")
def test_a_call_decrypts_its_state_once(harness: Harness, ada: Client) -> None:
    keys = CountingKeys(b"secret")
    harness.change(encryptor=Encryptor(keys=keys, clock=harness.clock))
    state = booking(ada)
    keys.found = 0

    assert finished(ada, state)

    assert keys.found == 1
