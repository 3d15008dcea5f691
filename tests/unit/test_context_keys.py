"""The keys of input requests without one of their own: no replay takes one for another."""

import random
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any

import pytest
from pydantic import Field

from mcp_tasks import Context, Elicit, ElicitUrl, Form, ListRoots, Sample
from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.tasks.model import JSON
from tests.unit.contexts import Answers, Name, accepted, plain, run_context


class Nickname(Form):
    name: Annotated[str, Field(max_length=9)]


def keys(*requests: Any) -> list[str]:
    """Return the keys of the input requests of one run."""
    with pytest.raises(InputNeeded) as ends:
        run_context().gather(*requests)
    return [input_request.key for input_request in ends.value.input_requests]


def test_a_key_is_a_kind_a_number_and_a_digest() -> None:
    named = keys(Elicit("Who?", Name), ElicitUrl("In", "https://example.com"), ListRoots(), Sample("Hi", max_tokens=9))

    assert [plain(key) for key in named] == ["elicit-1", "visit-2", "roots-3", "sample-4"]
    assert len({key.rpartition("-")[2] for key in named}) == 4


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Elicit("Who?", Name), Elicit("Who is it?", Name)),
        (Elicit("Who?", Name), Elicit("Who?", Nickname)),
        (ElicitUrl("In", "https://example.com/1"), ElicitUrl("In", "https://example.com/2")),
        (Sample("Hi", max_tokens=9), Sample("Ho", max_tokens=9)),
        (Sample("Hi", max_tokens=9), Sample("Hi", max_tokens=10)),
        (Sample("Hi", max_tokens=9), Sample("Hi", max_tokens=9, temperature=0)),
    ],
)
def test_what_is_asked_otherwise_is_called_otherwise(first: Any, second: Any) -> None:
    assert keys(first) != keys(second)


@pytest.mark.parametrize("timeout", [timedelta(1), timedelta(2)])
def test_how_long_is_waited_does_not_make_another_input_request(timeout: timedelta) -> None:
    assert keys(Elicit("Who?", Name, timeout=timeout)) == keys(Elicit("Who?", Name))


def test_the_order_of_fields_does_not_make_another_input_request() -> None:
    first, second = {"name": "t", "inputSchema": {}}, {"inputSchema": {}, "name": "t"}

    assert keys(Sample("Hi", max_tokens=9, tools=[first])) == keys(Sample("Hi", max_tokens=9, tools=[second]))


def test_a_key_of_its_own_stays_whatever_is_asked() -> None:
    assert keys(Elicit("Who?", Name, key="k")) == keys(Elicit("What?", Nickname, key="k")) == ["k"]


def test_any_text_can_be_asked() -> None:
    assert plain(keys(Elicit("\ud800 é", Name))[0]) == "elicit-1"


def replayed(run: Callable[[Context], Any], answer: Mapping[str, JSON]) -> Any:
    """Replay a run with responses to all its input requests until it ends."""
    with pytest.raises(InputNeeded) as ends:
        run(run_context())
    named = [input_request.key for input_request in ends.value.input_requests]
    return run(run_context(Answers(responses=dict.fromkeys(named, answer), requested=named)))


def test_a_message_that_varies_is_noticed_and_not_given_the_answer_to_another() -> None:
    numbers = iter([3, 4])

    with pytest.raises(NonDeterminismError, match=r"it asked 'elicit-1-\w{6}' the last time and now 'elicit-1-\w{6}'"):
        replayed(lambda context: context.elicit(f"Delete {next(numbers)} files?", Name), accepted(name="yes"))


def test_input_requests_in_another_order_are_noticed() -> None:
    orders = iter([["a", "b"], ["b", "a"]])

    with pytest.raises(NonDeterminismError):
        replayed(lambda context: context.gather(*(Elicit(each, Name) for each in next(orders))), accepted(name="x"))


def test_a_key_that_is_made_by_chance_is_noticed() -> None:
    with pytest.raises(NonDeterminismError):
        replayed(lambda context: context.elicit("Who?", Name, key=str(random.random())), accepted(name="x"))


def test_a_message_that_varies_under_a_key_of_its_own_is_the_same_input_request() -> None:
    numbers = iter([3, 4])

    answer = replayed(lambda context: context.elicit(f"{next(numbers)} left", Name, key="k"), accepted(name="x"))

    assert answer.value == Name(name="x")


@pytest.mark.parametrize("key", ["half \ud800", "\udfff"])
def test_a_key_that_no_client_could_send_is_rejected(key: str) -> None:
    with pytest.raises(ValueError, match="holds a lone surrogate, which cannot be sent"):
        run_context().elicit("Who?", Name, key=key)


@pytest.mark.parametrize("message", [float("nan"), float("inf"), b"Who?", object()])
def test_what_is_no_json_cannot_be_asked(message: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        run_context().elicit(message, Name, key="who")
