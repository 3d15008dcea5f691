"""Exceptions and control signals of a tool: which of them a tool can catch, and their messages."""

from typing import Any

import pytest

from mcp_tasks import InputRequestFailed, McpError, MissingCapability, NoAnswer, TaskCancelled, ToolError
from mcp_tasks.authoring.control_signals import (
    BadInputResponse,
    ControlSignal,
    InputNeeded,
    Interrupted,
    NonDeterminismError,
)
from mcp_tasks.authoring.text import sendable
from mcp_tasks.tasks.model import JSON
from tests.unit.contexts import input_request


@pytest.mark.parametrize("ends", [TaskCancelled, InputNeeded, NonDeterminismError, BadInputResponse, Interrupted])
def test_the_end_of_a_run_is_nothing_that_a_tool_catches_with_its_own_failures(ends: type[BaseException]) -> None:
    assert issubclass(ends, ControlSignal)
    assert not issubclass(ends, Exception)


def test_what_is_asked_is_kept_and_named() -> None:
    needed = InputNeeded([input_request("a"), input_request("b")])

    assert (needed.input_requests, str(needed)) == ((input_request("a"), input_request("b")), "a, b")


def test_the_error_shows_how_two_runs_differ() -> None:
    assert str(NonDeterminismError("a", "b")) == (
        "it asked 'a' the last time and now 'b' instead; run again, a tool must make the same input requests"
        " in the same order, by keys that depend on neither time nor chance: put what varies into a step"
    )


def test_an_answer_that_does_not_fit_names_its_input_request() -> None:
    bad = BadInputResponse("who", "name is missing")

    assert (bad.key, str(bad)) == ("who", "the answer to 'who' does not fit: name is missing")


def test_what_a_client_cannot_is_a_failure_that_says_so_unless_the_tool_goes_on_without() -> None:
    cannot = MissingCapability("sampling")

    assert isinstance(cannot, ToolError)
    assert cannot.capability == "sampling"
    assert str(cannot) == "This needs the client capability sampling, which your client does not have here."


def test_that_nobody_answered_is_a_failure_that_names_the_input_request() -> None:
    silence = NoAnswer("who")

    assert isinstance(silence, ToolError)
    assert (silence.key, str(silence)) == ("who", "Nobody answered 'who' in time.")


@pytest.mark.parametrize(
    ("error", "code", "message", "words"),
    [
        ({"code": -1, "message": "User said no"}, -1, "User said no", "User said no (code -1)"),
        ({"code": -32603, "message": ""}, -32603, "", "it gives no reason (code -32603)"),
        ({"code": "-1", "message": 7}, None, "", "it gives no reason (code None)"),
        ({}, None, "", "it gives no reason (code None)"),
        ({"code": 1, "message": "\ud800"}, 1, "?", "? (code 1)"),
        ({"code": 1, "message": "x" * 9_999}, 1, "x" * 499 + "…", "x" * 499 + "… (code 1)"),
    ],
)
def test_that_the_client_rejected_is_a_failure_that_says_why(
    error: dict[str, JSON], code: int | None, message: str, words: str
) -> None:
    rejected = InputRequestFailed("who", error)

    assert isinstance(rejected, ToolError)
    assert (rejected.key, rejected.code, rejected.message) == ("who", code, message)
    assert str(rejected) == f"The client answered 'who' with an error: {words}."


def test_a_rejection_keeps_all_three_fields() -> None:
    error = McpError(-32002, "Gone", {"uri": "a://b"})

    assert (error.code, error.message, error.data, str(error)) == (-32002, "Gone", {"uri": "a://b"}, "Gone")
    assert McpError(-32000, "No").data is None
    assert not isinstance(error, ToolError)


@pytest.mark.parametrize("code", ["-32000", -32000.0, None, True])
def test_the_code_of_an_error_is_an_integer(code: Any) -> None:
    with pytest.raises(ValueError, match="is an integer"):
        McpError(code, "No")


@pytest.mark.parametrize(
    ("text", "sent"), [("", ""), ("é😀\0\u2028", "é😀\0\u2028"), ("\ud800", "?"), ("a\udc80b\udfff", "a?b?")]
)
def test_a_text_can_be_sent_and_loses_nothing_but_half_characters(text: str, sent: str) -> None:
    assert sendable(text) == sent
