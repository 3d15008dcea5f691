"""Prompts, resources and completions as both revisions serve them, and their errors."""

from datetime import timedelta
from typing import Any, Literal

import pytest

from mcp_tasks import (
    CompletionContext,
    Context,
    McpError,
    MissingCapability,
    ResourceNotFound,
    ToolError,
    prompt,
    resource,
)
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.requests import MAX_COMPLETIONS, MAX_NAME_CHARACTERS, MAX_URI_CHARACTERS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import server_features
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from tests.kit import ADA
from tests.unit.callables import CONTEXT
from tests.unit.contexts import Name, run_context

ERRORS: dict[str, BaseException] = {
    "tool": ToolError("The archive is closed."),
    "mcp": McpError(-31099, "No", {"n": 1}),
    "gone": ResourceNotFound(),
    "bug": LookupError("x"),
}


@prompt(title="Greeting")
def greet(name: str, tone: Literal["kind", "stern"] = "kind") -> str:
    """Greet somebody."""
    if name in ERRORS:
        raise ERRORS[name]
    return f"Hello, {tone} {name}"


@prompt()
def ask(context: Context) -> str:
    return str(context.elicit("Who?", Name))


@greet.complete("name")
def names(typed: str, context: CompletionContext) -> list[str]:
    """Suggest as many names as are typed."""
    if typed in ERRORS:
        raise ERRORS[typed]
    return [f"{context.caller.subject}{context.arguments.get('tone', '')}{n}" for n in range(int(typed))]


@resource("report://{year}", mime_type="text/plain", title="Report", ttl=timedelta(minutes=1))
def report(year: str) -> str:
    """Report about a year."""
    if year in ERRORS:
        raise ERRORS[year]
    return f"Year {year}"


@resource("report://now", subscribable=True)
def now(context: Context) -> str:
    return context.caller.subject


FEATURES = Features.of([], [greet, ask], [report, now])


def rejected(run: Any) -> tuple[int, str, JSON]:
    """Return the JSON-RPC error that a client reads."""
    with pytest.raises(RpcError) as error:
        run()
    return error.value.code, error.value.message, error.value.data


def get(of: Any, **arguments: JSON) -> Any:
    return server_features.get_prompt(of, {"arguments": arguments}, CONTEXT)


def test_a_server_declares_what_it_has() -> None:
    tools = {"tools": {"listChanged": False}, "logging": {}}

    assert server_features.capabilities(Features.of([])) == tools
    assert server_features.capabilities(Features.of([], [greet])) == {
        **tools,
        "prompts": {"listChanged": False},
        "completions": {},
    }
    assert server_features.capabilities(Features.of([], [], [report])) == {
        **tools,
        "resources": {"listChanged": False, "subscribe": False},
        "completions": {},
    }
    assert server_features.capabilities(FEATURES)["resources"]["subscribe"] is True


def test_a_prompt_is_shown_with_what_it_takes() -> None:
    assert server_features.shown_prompt(greet) == {
        "name": "greet",
        "title": "Greeting",
        "description": "Greet somebody.",
        "arguments": [{"name": "name", "required": True}, {"name": "tone", "required": False}],
    }
    assert server_features.shown_prompt(ask) == {"name": "ask", "description": "", "arguments": []}


def test_a_resource_is_shown_by_its_address_or_its_template() -> None:
    assert server_features.shown_resource(report) == {
        "uriTemplate": "report://{year}",
        "name": "report",
        "title": "Report",
        "description": "Report about a year.",
        "mimeType": "text/plain",
    }
    assert server_features.shown_resource(now) == {"uri": "report://now", "name": "now", "description": ""}


def test_a_prompt_is_found_by_its_name() -> None:
    assert server_features.find_prompt(FEATURES, {"name": "greet"}) is greet
    assert rejected(lambda: server_features.find_prompt(FEATURES, {"name": "gret"})) == (
        INVALID_PARAMS,
        "There is no prompt 'gret'; prompts/list names them all.",
        None,
    )


@pytest.mark.parametrize("params", [{}, {"name": None}, {"name": 7}, {"name": "x" * (MAX_NAME_CHARACTERS + 1)}])
def test_a_prompt_has_a_name(params: dict[str, JSON]) -> None:
    assert rejected(lambda: server_features.find_prompt(FEATURES, params))[0] == INVALID_PARAMS


def test_the_messages_of_a_prompt_come_with_what_it_is() -> None:
    assert get(greet, name="Ada") == {
        "description": "Greet somebody.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hello, kind Ada"}}],
    }


@pytest.mark.parametrize("arguments", [[], "x", {"name": 7}, {"name": None}, {"name": ["Ada"]}])
def test_the_arguments_of_a_prompt_are_texts(arguments: JSON) -> None:
    code, message, _ = rejected(lambda: server_features.get_prompt(greet, {"arguments": arguments}, CONTEXT))

    assert (code, message.partition(", not")[0]) == (
        INVALID_PARAMS,
        "Invalid params: arguments should be an object of strings",
    )


@pytest.mark.parametrize("params", [{}, {"arguments": None}, {"arguments": {}}])
def test_a_prompt_without_its_arguments_says_which(params: dict[str, JSON]) -> None:
    assert rejected(lambda: server_features.get_prompt(greet, params, CONTEXT)) == (
        INVALID_PARAMS,
        "name is missing",
        None,
    )


@pytest.mark.parametrize(
    ("which", "error"),
    [("tool", (INVALID_PARAMS, "The archive is closed.", None)), ("mcp", (-31099, "No", {"n": 1}))],
)
def test_an_error_of_an_adopters_function_is_sent_to_the_client(which: str, error: tuple[int, str, JSON]) -> None:
    completion = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": which}}

    assert rejected(lambda: get(greet, name=which)) == error
    assert rejected(lambda: server_features.read_resource(FEATURES, f"report://{which}", CONTEXT)) == error
    assert rejected(lambda: server_features.complete(FEATURES, completion, ADA)) == error


def test_a_bug_is_left_to_the_endpoint() -> None:
    with pytest.raises(LookupError):
        get(greet, name="bug")
    with pytest.raises(LookupError):
        server_features.read_resource(FEATURES, "report://bug", CONTEXT)


def test_what_a_client_cannot_is_left_to_the_revision() -> None:
    with pytest.raises(MissingCapability):
        server_features.get_prompt(ask, {}, run_context(client_capabilities=frozenset()))


def test_what_is_at_an_address_comes_with_the_resource_that_was_found() -> None:
    assert server_features.read_resource(FEATURES, "report://2026", CONTEXT) == (
        report,
        [{"uri": "report://2026", "mimeType": "text/plain", "text": "Year 2026"}],
    )
    assert server_features.read_resource(FEATURES, "report://now", CONTEXT).contents == [
        {"uri": "report://now", "text": "ada"}
    ]


@pytest.mark.parametrize("uri", ["report://", "report://a/b", "other://x", "", "report://gone", "report://%2e%2e"])
def test_where_there_is_nothing_each_revision_says_so(uri: str) -> None:
    with pytest.raises(ResourceNotFound):
        server_features.read_resource(FEATURES, uri, CONTEXT)


@pytest.mark.parametrize(
    "params", [{}, {"uri": None}, {"uri": 7}, {"uri": ["x"]}, {"uri": "x" * (MAX_URI_CHARACTERS + 1)}]
)
def test_an_address_is_a_text_and_not_endless(params: dict[str, JSON]) -> None:
    assert rejected(lambda: server_features.uri_of(params))[0] == INVALID_PARAMS
    assert server_features.uri_of({"uri": "x" * MAX_URI_CHARACTERS}) == "x" * MAX_URI_CHARACTERS


def test_list_changed_is_declared_where_changes_are_published() -> None:
    assert server_features.watched_uri(FEATURES, "report://now") == "report://now"
    assert rejected(lambda: server_features.watched_uri(FEATURES, "report://2026"))[0] == INVALID_PARAMS
    with pytest.raises(ResourceNotFound):
        server_features.watched_uri(FEATURES, "other://x")


def completed(value: str, *, ref: Any = None, argument: str = "name", **more: JSON) -> Any:
    params = {"ref": ref or {"type": "ref/prompt", "name": "greet"}, "argument": {"name": argument, "value": value}}
    return server_features.complete(FEATURES, {**params, **more}, ADA)["completion"]


def test_suggestions_come_with_how_many_there_are() -> None:
    assert completed("2") == {"values": ["ada0", "ada1"], "total": 2, "hasMore": False}
    assert completed("", argument="tone") == {"values": ["kind", "stern"], "total": 2, "hasMore": False}
    assert completed("x", argument="tone") == {"values": [], "total": 0, "hasMore": False}


@pytest.mark.parametrize(("number", "more"), [(MAX_COMPLETIONS, False), (MAX_COMPLETIONS + 1, True), (1_000, True)])
def test_of_many_suggestions_the_first_are_shown(number: int, more: bool) -> None:
    shown = completed(str(number))

    assert shown["values"] == [f"ada{n}" for n in range(MAX_COMPLETIONS)]
    assert (shown["total"], shown["hasMore"]) == (number, more)


def test_what_was_filled_in_before_is_known() -> None:
    assert completed("1", context={"arguments": {"tone": "kind"}})["values"] == ["adakind0"]
    assert completed("1", context=None)["values"] == completed("1", context={})["values"] == ["ada0"]


def test_a_template_is_completed_by_what_it_is_listed_as() -> None:
    ref = {"type": "ref/resource", "uri": "report://{year}"}

    assert completed("20", ref=ref, argument="year") == {"values": [], "total": 0, "hasMore": False}
    assert rejected(lambda: completed("20", ref={**ref, "uri": "report://2026"}, argument="year")) == (
        INVALID_PARAMS,
        "There is nothing to complete at 'report://2026'.",
        None,
    )


@pytest.mark.parametrize("argument", ["size", "", "context", "x" * MAX_NAME_CHARACTERS])
def test_an_argument_that_is_not_there_is_not_completed(argument: str) -> None:
    assert rejected(lambda: completed("", argument=argument))[:2] == (
        INVALID_PARAMS,
        f"there is no {argument} to complete, only: name, tone",
    )


PROMPT = {"type": "ref/prompt", "name": "greet"}
NAME = {"name": "name", "value": "1"}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": PROMPT},
        {"argument": NAME},
        {"ref": "greet", "argument": NAME},
        {"ref": {"name": "greet"}, "argument": NAME},
        {"ref": {**PROMPT, "type": "ref/tool"}, "argument": NAME},
        {"ref": {**PROMPT, "type": ["ref/prompt"]}, "argument": NAME},
        {"ref": {"type": "ref/prompt", "uri": "greet"}, "argument": NAME},
        {"ref": {"type": "ref/resource", "name": "report://{year}"}, "argument": NAME},
        {"ref": {**PROMPT, "name": "gone"}, "argument": NAME},
        {"ref": {**PROMPT, "name": 7}, "argument": NAME},
        {"ref": {**PROMPT, "name": "x" * (MAX_NAME_CHARACTERS + 1)}, "argument": NAME},
        {"ref": {"type": "ref/resource", "uri": "x" * (MAX_URI_CHARACTERS + 1)}, "argument": NAME},
        {"ref": PROMPT, "argument": "name"},
        {"ref": PROMPT, "argument": {"name": "name"}},
        {"ref": PROMPT, "argument": {"value": "1"}},
        {"ref": PROMPT, "argument": {"name": "name", "value": 1}},
        {"ref": PROMPT, "argument": NAME, "context": []},
        {"ref": PROMPT, "argument": NAME, "context": {"arguments": {"tone": 1}}},
        {"ref": PROMPT, "argument": NAME, "context": {"arguments": ["kind"]}},
    ],
)
def test_a_request_for_an_unknown_feature_is_rejected_with_a_short_message(params: dict[str, JSON]) -> None:
    code, message, _ = rejected(lambda: server_features.complete(FEATURES, params, ADA))

    assert code == INVALID_PARAMS
    assert len(message) < 200
