"""The context of a running tool: input requests, replays, steps and progress."""

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from mcp_tasks import Accepted, Context, Declined, Elicit, ElicitUrl, ListRoots, MissingCapability, Root, Sample
from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded, NonDeterminismError
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.tasks.model import JSON, InputRequest, Progress
from mcp_tasks.testing.journal import NullJournal
from tests.kit import ADA
from tests.unit.contexts import Answers, Confirmation, Name, accepted, plain, run_context, run_to_end, sampled


def input_requests(run: Any, context: Context | None = None) -> Sequence[InputRequest]:
    """Return the input requests that end a run."""
    with pytest.raises(InputNeeded) as ends:
        run(context or run_context())
    return ends.value.input_requests


def requests_of(run: Any, context: Context | None = None) -> list[tuple[str, str]]:
    """Return the key, without its digest, and the method of each input request that ends a run."""
    return [(plain(input_request.key), input_request.method) for input_request in input_requests(run, context)]


@pytest.mark.parametrize(
    ("run", "key", "method"),
    [
        (lambda ctx: ctx.elicit("Who?", Name), "elicit-1", "elicitation/create"),
        (lambda ctx: ctx.elicit_url("Sign in", "https://example.com"), "visit-1", "elicitation/create"),
        (lambda ctx: ctx.sample("Hello", max_tokens=9), "sample-1", "sampling/createMessage"),
        (lambda ctx: ctx.list_roots(), "roots-1", "roots/list"),
        (lambda ctx: ctx.elicit("Who?", Name, key="who"), "who", "elicitation/create"),
        (lambda ctx: ctx.elicit_url("Sign in", "https://example.com", key="in"), "in", "elicitation/create"),
        (lambda ctx: ctx.sample("Hello", max_tokens=9, key="hi"), "hi", "sampling/createMessage"),
        (lambda ctx: ctx.list_roots(key="where"), "where", "roots/list"),
    ],
)
def test_an_input_request_ends_the_run_until_it_is_answered(run: Any, key: str, method: str) -> None:
    assert requests_of(run) == [(key, method)]


def test_all_that_a_sample_can_say_reaches_the_client() -> None:
    (input_request,) = input_requests(
        lambda ctx: ctx.sample("Hello", max_tokens=9, system_prompt="Be brief.", temperature=0.5)
    )

    assert input_request.params["systemPrompt"] == "Be brief."
    assert input_request.params["temperature"] == 0.5


WHO = "elicit-1-ba4e33"
"""The key of asking "Who?" first: tasks may be suspended with it, so it stays the same from release to release."""


def conversation(context: Context) -> list[Any]:
    """Ask three times, the last time two things at once."""
    name = context.elicit("Who?", Name)
    roots = context.list_roots(key="where")
    return [name, roots, *context.gather(Sample("Hi", max_tokens=9), ElicitUrl("Sign in", "https://example.com"))]


def test_a_run_gets_further_with_each_answer_and_its_input_requests_keep_their_names() -> None:
    responses: dict[str, JSON] = {
        "elicit-1": accepted(name="Ada"),
        "where": {"roots": [{"uri": "file:///home"}]},
        "sample-2": sampled("Hello"),
        "visit-3": {"action": "decline"},
    }

    *reported, result = run_to_end(conversation, responses)

    assert reported == [["elicit-1"], ["where"], ["sample-2", "visit-3"]]
    assert result[:2] == [Accepted(Name(name="Ada")), [Root("file:///home")]]
    assert (result[2].text, result[3]) == ("Hello", Declined())


def test_answers_are_gathered_in_the_order_of_the_input_requests_whatever_came_first() -> None:
    replay_log = Answers(responses={"b": sampled("second"), "a": sampled("first")}, requested=["a", "b"])

    first, second = run_context(replay_log).gather(
        Sample("?", max_tokens=1, key="a"), Sample("?", max_tokens=1, key="b")
    )

    assert (first.text, second.text) == ("first", "second")


def test_what_is_missing_of_several_is_asked_again_alone() -> None:
    replay_log = Answers(responses={"b": {"roots": []}}, requested=["a", "b"])

    assert requests_of(
        lambda ctx: ctx.gather(Elicit("?", Name, key="a"), ListRoots(key="b")), run_context(replay_log)
    ) == [("a", "elicitation/create")]


def test_gathering_answers_says_what_to_gather_instead() -> None:
    context = run_context(Answers(responses={"who": accepted(name="Ada")}, requested=["who"]))

    with pytest.raises(TypeError, match=r"gather takes Elicit.*, not Accepted: context\.elicit has asked already"):
        context.gather(context.elicit("Who?", Name, key="who"))  # type: ignore[arg-type]


def test_gathering_nothing_asks_nothing() -> None:
    assert Context(caller=ADA, journal=NullJournal()).gather() == ()


@pytest.mark.parametrize(
    ("client_capabilities", "missing"),
    [
        (frozenset(), "elicitation.form"),
        (frozenset({"elicitation.form"}), "sampling"),
        (frozenset({"sampling", "sampling.tools", "roots", "elicitation.url"}), "elicitation.form"),
    ],
)
def test_what_the_client_cannot_be_asked_is_known_before_anything_is_asked(
    client_capabilities: frozenset[str], missing: str
) -> None:
    replay_log = Answers()
    context = run_context(replay_log, client_capabilities=client_capabilities)

    with pytest.raises(MissingCapability, match=missing) as cannot:
        context.gather(Elicit("Who?", Name), Sample("Hi", max_tokens=9))
    assert cannot.value.capability == missing
    assert replay_log.requested == []


def test_a_tool_may_go_on_without_what_the_client_cannot_and_counts_on() -> None:
    def run(context: Context) -> str:
        try:
            return context.sample("Hi", max_tokens=9).text
        except MissingCapability:
            return str(context.elicit("Who?", Name))

    assert requests_of(run, run_context(client_capabilities=frozenset({"elicitation.form"}))) == [
        ("elicit-1", "elicitation/create")
    ]


@pytest.mark.parametrize(
    "run",
    [
        lambda ctx: ctx.gather(Elicit("A?", Name, key="k"), Elicit("B?", Name, key="k")),
        lambda ctx: (ctx.elicit("A?", Name, key="k"), ctx.elicit("B?", Name, key="k")),
        lambda ctx: (ctx.elicit("A?", Name, key=WHO), ctx.elicit("Who?", Name)),
        lambda ctx: ctx.gather(Elicit("A?", Name, key=WHO), Elicit("Who?", Name)),
        lambda ctx: (ctx.elicit("A?", Name, key="k"), ctx.list_roots(key="k")),
    ],
)
def test_no_two_input_requests_of_a_run_have_one_name(run: Any) -> None:
    replay_log = Answers(responses={"k": accepted(name="Ada"), WHO: accepted(name="Ada")})

    with pytest.raises(ValueError, match=rf"two input requests have the key '(k|{WHO})'"):
        run(run_context(replay_log))


def test_a_run_that_asks_otherwise_than_the_last_one_gets_no_answer_that_was_for_something_else() -> None:
    flips = iter([True, False])

    def run(context: Context) -> Any:
        return context.elicit("Who?", Name) if next(flips) else context.elicit("Sure?", Confirmation, key="sure")

    with pytest.raises(NonDeterminismError):
        run_to_end(run, {"elicit-1": accepted(name="Ada"), "sure": accepted(ok=True)})


def test_an_answer_that_does_not_fit_ends_the_run_too() -> None:
    with pytest.raises(BadInputResponse, match=f"the answer to '{WHO}' does not fit: name is missing"):
        run_to_end(lambda context: context.elicit("Who?", Name), {"elicit-1": accepted()})


def test_what_must_not_be_done_twice_is_done_once_however_often_the_tool_asks() -> None:
    done: list[str] = []

    def order() -> int:
        done.append("ordered")
        return len(done)

    def run(context: Context) -> Any:
        first = context.step("order", order)
        context.elicit("Who?", Name)
        context.elicit("Sure?", Confirmation)
        return first

    *reported, result = run_to_end(run, {"elicit-1": accepted(name="Ada"), "elicit-2": accepted(ok=True)})

    assert (reported, result, done) == ([["elicit-1"], ["elicit-2"]], 1, ["ordered"])


def test_a_tool_cannot_take_an_input_request_for_its_own_failure() -> None:
    def run(context: Context) -> Any:
        try:
            return context.elicit("Who?", Name)
        except Exception:  # noqa: BLE001  # what many tools do
            return "swallowed"

    assert requests_of(run) == [("elicit-1", "elicitation/create")]


class RecordingJournal(NullJournal):
    """A journal that records what the tool reports."""

    def __init__(self) -> None:
        self.reported: list[Any] = []

    def progressed(self, progress: Progress) -> None:
        self.reported.append(progress)

    def status_reported(self, status_message: str) -> None:
        self.reported.append(status_message)

    def logged(self, level: str, data: JSON, logger: str | None) -> None:
        self.reported.append((level, data, logger))

    def updated(self, uri: str) -> None:
        self.reported.append(uri)


def test_what_a_tool_reports_is_stored() -> None:
    journal = RecordingJournal()
    context = Context(caller=ADA, journal=journal)
    context.report_progress(1)
    context.report_progress(0.5, 2, "half way")
    context.report_status("nearly there")
    context.log("warning", {"left": 3}, logger="disk")
    context.resource_updated("report://2026")

    assert journal.reported == [
        Progress(progress=1),
        Progress(progress=0.5, total=2, message="half way"),
        "nearly there",
        ("warning", {"left": 3}, "disk"),
        "report://2026",
    ]


def test_what_is_no_uri_is_told_before_the_store_fails() -> None:
    journal: Any = RecordingJournal()
    context = Context(caller=ADA, journal=journal)

    with pytest.raises(TypeError, match="the URI of a resource is a text, not None"):
        context.resource_updated(None)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(ValueError, match="no client can name a URI of more than 4,000 characters"):
        context.resource_updated("report://" + "x" * 4_000)
    assert journal.reported == []


@pytest.mark.parametrize("level", ["warn", "INFO", "", "trace", None, ["info"]])
def test_a_level_that_there_is_not_is_rejected_whoever_listens(level: Any) -> None:
    journal = RecordingJournal()

    with pytest.raises(ValueError, match=r"there is no level .*, only: debug, info, notice, warning"):
        Context(caller=ADA, journal=journal).log(level, "x")
    assert journal.reported == []


@pytest.mark.parametrize(
    ("progress", "total"), [(float("nan"), None), (float("inf"), 3), (1, float("nan")), (1, float("-inf"))]
)
def test_progress_that_is_no_number_is_rejected(progress: float, total: float | None) -> None:
    journal = RecordingJournal()

    with pytest.raises(ValueError, match="must be finite numbers"):
        Context(caller=ADA, journal=journal).report_progress(progress, total)
    assert journal.reported == []


@pytest.mark.parametrize("number", [Decimal("1.5"), Fraction(3, 2), True])
def test_progress_is_reported_in_numbers_of_json(number: Any) -> None:
    journal = RecordingJournal()
    Context(caller=ADA, journal=journal).report_progress(number, number)

    assert json.dumps([[each.progress, each.total] for each in journal.reported]) == json.dumps([[float(number)] * 2])


@pytest.mark.parametrize(
    ("message", "kept"),
    [("x" * 10_000, "x" * MAX_LINE_CHARACTERS), ("a file named \ud800", "a file named ?"), ("", ""), (None, None)],
)
def test_a_message_about_progress_can_be_kept_and_sent(message: str | None, kept: str | None) -> None:
    journal = RecordingJournal()
    Context(caller=ADA, journal=journal).report_progress(1, message=message)

    assert journal.reported == [Progress(progress=1, message=kept)]


def test_a_status_message_can_be_kept_and_sent() -> None:
    journal = RecordingJournal()
    Context(caller=ADA, journal=journal).report_status("\ud800" + "x" * 10_000)

    assert journal.reported == ["?" + "x" * (MAX_LINE_CHARACTERS - 1)]
