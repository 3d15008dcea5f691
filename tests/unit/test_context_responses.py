"""What a tool gets for an input request: a response, the client's error, or nothing before the timeout."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, assert_type

import pytest

from mcp_tasks import (
    Accepted,
    Cancelled,
    Context,
    Declined,
    Elicit,
    ElicitUrl,
    InputRequestFailed,
    ListRoots,
    MissingCapability,
    NoAnswer,
    Root,
    Sample,
    Sampled,
    ToolError,
)
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.tasks.model import InputRequest, InputResponse
from mcp_tasks.testing.journal import NullJournal
from tests.kit import ADA
from tests.unit.contexts import EVERYTHING, Name, accepted, sampled

SILENCE = InputResponse()
ERROR_RESPONSE = InputResponse(error={"code": -1, "message": "User rejected sampling request"})
URL = "https://example.com"


class ResponseJournal(NullJournal):
    """A journal with responses."""

    client_capabilities = EVERYTHING

    def __init__(self, responses: Mapping[str, InputResponse]) -> None:
        self.responses = responses
        self.requested: list[InputRequest] = []

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        self.requested += input_requests
        return [self.responses[input_request.key] for input_request in input_requests]


def context_with(**responses: InputResponse) -> Context:
    """Return the context of a run to whose input requests these came back."""
    return Context(caller=ADA, journal=ResponseJournal(responses))


DAY = timedelta(days=1)
MADE_UP = Sampled(content=[{"type": "text", "text": "-"}], model="none")
CALLS: list[Any] = [
    (lambda ctx, **more: ctx.elicit("Who?", Name, key="k", **more), Accepted(Name(name="nobody"))),
    (lambda ctx, **more: ctx.elicit_url("Sign in", URL, key="k", **more), Declined()),
    (lambda ctx, **more: ctx.sample("Hi", max_tokens=9, key="k", **more), MADE_UP),
    (lambda ctx, **more: ctx.list_roots(key="k", **more), []),
    (lambda ctx, **more: ctx.gather(Elicit("Who?", Name, key="k", **more))[0], Cancelled()),
    (lambda ctx, **more: ctx.gather(ElicitUrl("Sign in", URL, key="k", **more))[0], Accepted(None)),
    (lambda ctx, **more: ctx.gather(Sample("Hi", max_tokens=9, key="k", **more))[0], MADE_UP),
    (lambda ctx, **more: ctx.gather(ListRoots(key="k", **more))[0], [Root("file:///x")]),
]


@pytest.mark.parametrize(("ask", "default"), CALLS)
def test_an_input_request_that_nobody_answered_in_time_fails_the_tool_unless_it_minds_it(
    ask: Any, default: Any
) -> None:
    with pytest.raises(NoAnswer, match="Nobody answered 'k' in time") as silence:
        ask(context_with(k=SILENCE), timeout=DAY)
    assert isinstance(silence.value, ToolError)


@pytest.mark.parametrize(("ask", "default"), CALLS)
def test_an_input_request_that_nobody_answered_in_time_has_the_answer_that_the_author_chose(
    ask: Any, default: Any
) -> None:
    assert ask(context_with(k=SILENCE), timeout=DAY, default=default) is default
    assert ask(context_with(k=SILENCE), default=default) is default


@pytest.mark.parametrize(("ask", "default"), CALLS)
def test_an_error_of_the_clients_is_no_silence(ask: Any, default: Any) -> None:
    with pytest.raises(InputRequestFailed, match="'k' with an error: User rejected sampling request") as rejected:
        ask(context_with(k=ERROR_RESPONSE), timeout=DAY, default=default)
    assert (rejected.value.code, isinstance(rejected.value, ToolError)) == (-1, True)


def test_nothing_at_all_can_be_the_answer_that_the_author_chose() -> None:
    answer = context_with(k=SILENCE).sample("Hi", max_tokens=9, key="k", default=None)

    assert answer is None


def test_type_checkers_know_what_may_come_back() -> None:
    context = context_with(**dict.fromkeys("abcd", SILENCE), e=InputResponse(result=accepted(name="Ada")))

    assert_type(context.elicit("Who?", Name, key="e"), Accepted[Name] | Declined | Cancelled)
    assert_type(context.elicit("Who?", Name, key="a", default=None), Accepted[Name] | Declined | Cancelled | None)
    assert_type(
        context.elicit_url("In", URL, key="b", default=Declined()), Accepted[None] | Declined | Cancelled | Declined
    )
    assert_type(context.sample("Hi", max_tokens=9, key="c", default=""), Sampled | str)
    assert_type(context.list_roots(key="d", default=list[Root]()), list[Root] | list[Root])


def test_an_answer_that_came_goes_before_the_one_that_the_author_chose() -> None:
    context = context_with(k=InputResponse(result=accepted(name="Ada")))

    assert context.elicit("Who?", Name, key="k", timeout=DAY, default=Declined()) == Accepted(Name(name="Ada"))


def test_an_empty_result_is_an_answer_and_no_silence() -> None:
    with pytest.raises(BadInputResponse):
        context_with(k=InputResponse(result={})).elicit("Who?", Name, key="k", default=Declined())


def test_an_empty_error_is_an_error_and_no_silence() -> None:
    with pytest.raises(InputRequestFailed):
        context_with(k=InputResponse(error={})).elicit("Who?", Name, key="k", default=Declined())


@pytest.mark.parametrize(("ask", "default"), CALLS)
def test_a_timeout_is_passed_to_the_journal(ask: Any, default: Any) -> None:
    journal = ResponseJournal({"k": SILENCE})
    ask(Context(caller=ADA, journal=journal), timeout=DAY, default=default)

    assert [input_request.timeout for input_request in journal.requested] == [DAY]


@pytest.mark.parametrize("ask", [ask for ask, _ in CALLS])
def test_a_time_in_which_nobody_could_answer_is_rejected_before_anybody_is_asked(ask: Any) -> None:
    context = context_with()

    with pytest.raises(ValueError, match="a timeout is positive"):
        ask(context, timeout=timedelta(0))


def test_of_several_each_has_its_own_response() -> None:
    context = context_with(a=SILENCE, b=InputResponse(result=sampled("Hello")), c=SILENCE)

    name, greeting, roots = context.gather(
        Elicit("Who?", Name, key="a", default=Declined()),
        Sample("Hi", max_tokens=9, key="b", default=MADE_UP),
        ListRoots(key="c", default=[]),
    )

    assert (name, greeting.text, roots) == (Declined(), "Hello", [])


def test_of_several_the_first_failure_is_reported() -> None:
    context = context_with(a=InputResponse(result={"roots": []}), b=SILENCE, c=ERROR_RESPONSE)

    with pytest.raises(NoAnswer) as silence:
        context.gather(ListRoots(key="a"), ListRoots(key="b"), ListRoots(key="c"))
    assert silence.value.key == "b"


@pytest.mark.parametrize("response", [SILENCE, ERROR_RESPONSE])
def test_a_tool_may_go_on_without(response: InputResponse) -> None:
    context = context_with(abstract=response, where=InputResponse(result={"roots": []}))

    try:
        abstract = context.sample("Sum it up", max_tokens=99, key="abstract").text
    except (MissingCapability, InputRequestFailed, NoAnswer):
        abstract = "no abstract"

    assert (abstract, context.list_roots(key="where")) == ("no abstract", [])
