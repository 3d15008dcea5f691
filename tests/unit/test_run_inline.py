"""Calls whose code runs elsewhere end as they would here, and an answer that no code gives breaks nothing."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from mcp_tasks import (
    Context,
    McpError,
    ResourceLink,
    ResourceNotFound,
    ToolError,
    UrlElicitationRequired,
    prompt,
    resource,
    tool,
)
from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.authoring.errors import BadArguments, BadResult, MissingCapability
from mcp_tasks.authoring.input_requests import ElicitUrl
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import AwaitsInput, ContinuesAsTask, LacksCapability, RejectsInput, RunEnd, run_tool
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.tools import MAX_NOTIFICATIONS, MAX_REQUESTED_CHARACTERS, MAX_RESULT_CHARACTERS
from mcp_tasks.run_inline.client import CodeFailed, InlineClient, RemoteTool
from mcp_tasks.tasks.model import JSON, Failed, Returned
from tests.elsewhere import elsewhere
from tests.kit import ADA
from tests.unit import one_of_each
from tests.unit.contexts import Name

EVERYTHING = frozenset({"elicitation.form", "elicitation.url", "roots", "sampling"})
ACTED_FOR = replace(ADA, actor={"sub": "agent", "act": {"sub": "planner"}})
Code = Callable[[Context], Any]


def journal(capabilities: frozenset[str] = EVERYTHING, **more: Any) -> InlineJournal:
    return InlineJournal(client_capabilities=capabilities, progress_token="p", threshold="debug", **more)


def here_and_elsewhere(code: Code, made: Callable[[], InlineJournal]) -> list[tuple[Any, InlineJournal]]:
    """Return how a tool's run ends in either place, with the journal that it wrote."""
    job = tool(name="job", description="A job.")(code)
    here, there = made(), made()
    work = elsewhere(Features.of([job])).tool("job", {}, None)
    return [
        (run_tool(job, {}, Context(caller=ACTED_FOR, journal=here)), here),
        (work.run({}, Context(caller=ACTED_FOR, journal=there)), there),
    ]


def raises(error: BaseException) -> Code:
    def code(context: Context) -> None:
        raise error

    return code


def says_who(context: Context) -> str:
    return f"{context.caller.subject}, {context.attempt}, {context.task_id}"


def says_who_acts(context: Context) -> str:
    return str(context.caller.actor)


def goes_on(context: Context) -> str:
    context.step("draw", lambda: 7)
    context.continue_as_task()
    return "a task goes on from here"


def asks(context: Context) -> str:
    drawn = context.step("draw", lambda: 7)
    context.report_progress(1, 2, "half")
    context.report_status("asking")
    context.log("info", {"drawn": drawn}, logger="job")
    context.resource_updated("report://1")
    return f"{context.elicit('Who?', Name, key='name')} {context.list_roots(key='roots')}"


@pytest.mark.parametrize(
    ("code", "capabilities", "kind"),
    [
        (says_who, EVERYTHING, Returned),
        (says_who_acts, EVERYTHING, Returned),
        (raises(ToolError("no")), EVERYTHING, Returned),
        (raises(ZeroDivisionError("nought")), EVERYTHING, Returned),
        (raises(SystemExit(1)), EVERYTHING, Returned),
        (raises(McpError(7, "seven", {"n": 7})), EVERYTHING, Failed),
        (raises(InputNeeded([])), EVERYTHING, Returned),
        (asks, EVERYTHING, AwaitsInput),
        (asks, frozenset(), LacksCapability),
        (goes_on, EVERYTHING, ContinuesAsTask),
    ],
)
def test_a_run_ends_and_writes_as_it_would_here(code: Code, capabilities: frozenset[str], kind: type[Any]) -> None:
    published: list[list[str]] = []

    def made() -> InlineJournal:
        published.append([])
        return journal(capabilities, may_become_task=True, publish=published[-1].append)

    (here, ours), (there, theirs) = here_and_elsewhere(code, made)

    assert isinstance(here, kind)
    assert str(there) == str(here)
    assert published[0] == published[1]
    assert (theirs.reported, theirs.last_progress) == (ours.reported, ours.last_progress)
    assert theirs.initial_state() == ours.initial_state()


def links(context: Context) -> list[ResourceLink]:
    context.log("info", {"file": "\udce9.pdf"})
    return [ResourceLink("file:///\udce9.pdf", "\udce9.pdf")]


def fails_with_data(context: Context) -> None:
    raise McpError(7, "seven", {"file": "\udce9.pdf"})


def test_a_lone_surrogate_in_a_result_arrives_as_a_question_mark() -> None:
    _, (there, theirs) = here_and_elsewhere(links, journal)
    _, (failed, _) = here_and_elsewhere(fails_with_data, journal)

    link = {"type": "resource_link", "uri": "file:///?.pdf", "name": "?.pdf"}
    assert there == Returned(result={"content": [link]})
    assert "'file': '?.pdf'" in str(theirs.reported)
    assert failed == Failed(code=7, message="seven", data={"file": "?.pdf"})


def test_a_replay_goes_on_from_what_was_recorded() -> None:
    def made() -> InlineJournal:
        responses = {"name": {"action": "accept", "content": {"name": "Bob"}}}
        return journal(replay_log=ReplayLog(responses=responses, steps={"draw": 8}, requested=["name"]))

    (here, ours), (there, theirs) = here_and_elsewhere(asks, made)

    assert isinstance(there, AwaitsInput)
    assert [each.key for each in there.input_requests] == ["roots"]
    assert there == here
    assert theirs.replay_log == ours.replay_log


def test_a_response_that_does_not_fit_is_rejected_as_here() -> None:
    def made() -> InlineJournal:
        return journal(replay_log=ReplayLog(responses={"name": {"action": "accept", "content": {}}}))

    (here, _), (there, _) = here_and_elsewhere(asks, made)

    assert isinstance(here, RejectsInput)
    assert isinstance(there, RejectsInput)
    assert (there.error.key, there.error.reason) == (here.error.key, here.error.reason)


@pytest.mark.parametrize(
    "error",
    [
        ToolError("no"),
        McpError(7, "seven", {"n": 7}),
        UrlElicitationRequired("go", ElicitUrl("Go", "https://example.com")),
        ResourceNotFound("x://y"),
        BadArguments("a is missing"),
        BadResult("it is of type object"),
        MissingCapability("roots"),
        NonDeterminismError("a", "b"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_a_prompt_raises_is_raised_here(error: BaseException) -> None:
    made = prompt(name="ask", description="Ask.")(raises(error))
    kind = McpError if isinstance(error, McpError) else ToolError if isinstance(error, ToolError) else type(error)
    work = elsewhere(Features.of([], [made])).prompt("ask")

    # A control signal that adopters' code raises itself is a failure of that code.
    expected = CodeFailed if isinstance(error, NonDeterminismError) else kind
    with pytest.raises(expected) as raised:
        work.get({}, Context(caller=ADA, journal=journal()))
    for name in ("code", "message", "data", "capability"):
        assert getattr(raised.value, name, None) == getattr(error, name, None)


@pytest.mark.parametrize("value", [date(2026, 1, 1), "2026-01-01", b"\xff", {"at": date(2026, 1, 1)}, [None]])
def test_a_resource_has_the_same_contents_wherever_its_code_runs(value: object) -> None:
    made = resource("a://b", name="made", description="Made.")(lambda: value)
    there = replace(made, work=elsewhere(Features.of([], [], [made])).resource("a://b"))
    context = Context(caller=ADA, journal=journal())

    assert there.read("a://b", {}, context) == made.read("a://b", {}, context)


def test_a_prompt_that_asks_and_one_that_fails() -> None:
    def ask(context: Context) -> str:
        return str(context.list_roots(key="roots"))

    works = elsewhere(
        Features.of([], [prompt(description="Ask.")(ask), prompt(name="fail", description="Fail.")(raises(KeyError()))])
    )

    with pytest.raises(InputNeeded) as needed:
        works.prompt("ask").get({}, Context(caller=ADA, journal=journal()))
    assert [each.key for each in needed.value.input_requests] == ["roots"]
    with pytest.raises(CodeFailed):
        works.prompt("fail").get({}, Context(caller=ADA, journal=journal()))


def test_an_output_that_does_not_fit_is_said_as_here() -> None:
    crunch = one_of_each.crunch
    work = elsewhere(Features.of([crunch])).tool("crunch", {}, None)

    assert work.returned({"size": 7}) == crunch.work.returned({"size": 7})
    with pytest.raises(BadResult) as there:
        work.returned({"size": "seven"})
    with pytest.raises(BadResult) as here:
        crunch.work.returned({"size": "seven"})
    assert str(there.value) == str(here.value)


EMPTY: dict[str, JSON] = {
    "reported": [],
    "last_progress": None,
    "status_message": None,
    "steps": {},
    "requested": [],
    "requested_so_far": [],
    "published": [],
}
OUTCOME: Mapping[str, JSON] = {"outcome": {"returned": {"result": {"content": []}}}, "journal": EMPTY}
CHANGES: list[dict[str, JSON]] = [
    {"reported": {}},
    {"reported": [{"log": {"level": "loud", "data": 1, "logger": None}}]},
    {"reported": [{"progress": {"progress": float("nan")}}]},
    {"last_progress": {"progress": "1"}},
    {"status_message": 7},
    {"steps": []},
    {"requested": [1]},
    {"requested_so_far": None},
    {"requested_so_far": ["x" * MAX_REQUESTED_CHARACTERS]},
    {"published": [7]},
    {"published": ["x" * 5_000]},
]
HOSTILE: list[JSON] = [
    None,
    [],
    "text",
    {},
    {"journal": EMPTY},
    {"outcome": {}, "journal": EMPTY},
    {**OUTCOME, "journal": None},
    {**OUTCOME, "outcome": {"returned": {"result": {"text": "x" * MAX_RESULT_CHARACTERS}}}},
    {"input_requests": [{"key": "k", "method": "tools/call", "params": {}}], "journal": EMPTY},
    {"input_requests": [], "journal": EMPTY},
    {"rejects_input": [1, 2], "journal": EMPTY},
    *({**OUTCOME, "journal": EMPTY | changes} for changes in CHANGES),
]


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: f"{str(answer)[:60]!a}")
def test_an_answer_that_no_code_gives_changes_nothing(answer: JSON) -> None:
    published: list[str] = []
    kept = journal(publish=published.append)
    before = kept.initial_state()
    work = InlineClient(invoke=lambda message: answer).tool("job", {}, None)

    with pytest.raises(CodeFailed):
        work.run({}, Context(caller=ADA, journal=kept))
    assert published == []
    if not isinstance(answer, dict) or answer.get("journal") != EMPTY:
        assert (kept.initial_state(), list(kept.reported)) == (before, [])


def test_what_is_reported_and_published_is_bounded() -> None:
    published: list[str] = []
    log = {"log": {"level": "info", "data": 1, "logger": None}}
    many = {**EMPTY, "reported": [log] * 1_000, "published": ["report://1"] * 1_000}
    kept = journal(publish=published.append)
    work: RemoteTool = InlineClient(invoke=lambda message: {**OUTCOME, "journal": many}).tool("job", {}, None)
    end: RunEnd = work.run({}, Context(caller=ADA, journal=kept))

    assert end == Returned(result={"content": []})
    assert (len(kept.reported), len(published)) == (MAX_NOTIFICATIONS, MAX_NOTIFICATIONS)
