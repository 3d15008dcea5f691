"""How one run of a tool's code ends, to the last character that fits, and what is logged of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Context, ElicitUrl, McpError, anyone, tool
from mcp_tasks.authoring.control_signals import ContinueAsTask, TaskCancelled
from mcp_tasks.authoring.errors import BadArguments, UrlElicitationRequired
from mcp_tasks.engine.built_in_tools import READS, BuiltInTool, built_in_tool, schema
from mcp_tasks.engine.current_run import current_run
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import (
    LacksCapability,
    RunEnd,
    RunsElsewhere,
    run_tool,
    work_of,
    wrong_arguments,
)
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.tools import MAX_RESULT_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.model import JSON, Failed, Returned
from tests.kit import ADA, BOB
from tests.unit.jobs import COLOUR
from tests.unit.tool_run import text, tool_run


def job_of(function: Callable[..., Any], **options: Any) -> Tool:
    return tool(name="job", description="A job.", **options)(function)


def ran(made: Tool, *capabilities: str, arguments: Mapping[str, JSON] | None = None) -> RunEnd:
    journal = InlineJournal(client_capabilities=frozenset(capabilities))
    return run_tool(made, arguments or {}, Context(caller=ADA, journal=journal, task_id="1"))


def raising(error: BaseException) -> Tool:
    def job() -> None:
        raise error

    return job_of(job)


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, bool, bool]]:
    """Return the level of each record, whether it names the tool, and whether it has a traceback."""
    return [(each.levelname, "tool job" in each.getMessage(), bool(each.exc_info)) for each in caplog.records]


# --- what a tool raises


def test_what_a_tool_logs_is_marked_with_it_and_its_task() -> None:
    seen: list[dict[str, str]] = []
    ran(job_of(lambda: seen.append(dict(current_run()))))

    assert seen == [{"tool": "job", "task": "1"}]


def test_an_error_of_the_protocol_keeps_as_much_data_as_can_be_sent(caplog: pytest.LogCaptureFixture) -> None:
    most = "x" * (MAX_RESULT_CHARACTERS - len(json.dumps("")))

    assert ran(raising(McpError(7, "no", most))) == Failed(code=7, message="no", data=most)
    assert caplog.records == []
    assert ran(raising(McpError(7, "no", most + "x"))) == Failed(code=7, message="no")
    assert logged(caplog) == [("ERROR", True, False)]


def test_a_result_is_as_large_as_can_be_sent() -> None:
    around = len(json.dumps(text("").result))
    most = "x" * (MAX_RESULT_CHARACTERS - around)

    assert ran(job_of(lambda: most)) == text(most)
    says = f"job returned {MAX_RESULT_CHARACTERS + 1:,} characters; a client can be given {MAX_RESULT_CHARACTERS:,} at"
    assert ran(job_of(lambda: most + "x")) == failure(f"{says} most.")


def test_only_a_client_that_can_open_an_address_is_told_to() -> None:
    error = UrlElicitationRequired("Log in first", ElicitUrl("Log in", "https://example.com"))

    assert ran(raising(error), "elicitation.url") == Failed(code=error.code, message="Log in first", data=error.data)
    lacks = ran(raising(error), "elicitation.form")
    assert isinstance(lacks, LacksCapability)
    assert lacks.error.capability == "elicitation.url"


def test_a_crash_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    assert ran(raising(KeyError("lost"))) == failure("job failed: KeyError: 'lost'")
    assert logged(caplog) == [("ERROR", True, True)]


def test_a_control_signal_that_a_tool_raises_itself_is_its_failure(caplog: pytest.LogCaptureFixture) -> None:
    assert ran(raising(ContinueAsTask())) == failure(
        "job failed: it raised ContinueAsTask, which only the methods of its context may raise"
    )
    assert ran(raising(TaskCancelled())) == failure("job failed: it raised TaskCancelled, but was not cancelled.")
    assert logged(caplog) == [("ERROR", True, True)] * 2


# --- whom it asks


def asks_others(context: Context) -> object:
    return context.journal.request_input([replace(COLOUR, approval=Approval(audience=anyone()))])


def test_a_tool_that_asks_others_has_to_say_so() -> None:
    assert tool_run(asks_others).run() == failure(
        "job failed: it asks others than its caller, so declare it with @tool(approvals=True)."
    )


# --- tools without code of their own


def test_a_built_in_tool_is_given_the_caller_and_what_it_was_called_with() -> None:
    def said(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        return text(f"{caller.subject}: {arguments}")

    work = BuiltInTool(function=said, input_schema=schema({"a": {}}), fit=lambda arguments: True, wants="a")
    assert ran(built_in_tool("job", "Job", "A job.", work, READS), arguments={"a": 1}) == text("ada: {'a': 1}")


class Elsewhere(RunsElsewhere):
    """The work of a tool whose code is in another process, which checks arguments for each caller."""

    def __init__(self) -> None:
        self.checked: list[tuple[str, Mapping[str, JSON]]] = []

    def run(self, arguments: Mapping[str, JSON], context: Context) -> RunEnd:
        raise AssertionError("it is not run")

    def of(self, caller: Caller) -> Any:
        checked = self.checked

        class Of:
            def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, JSON]:
                checked.append((caller.subject, arguments))
                if caller == BOB:
                    raise BadArguments("not by Bob")
                return arguments

        return Of()


def test_arguments_are_checked_where_the_code_is_and_for_whom_it_is_called() -> None:
    elsewhere: Any = Elsewhere()
    made = replace(job_of(lambda: None), work=elsewhere)

    assert wrong_arguments(made, {"a": 1}, ADA) is None
    assert wrong_arguments(made, {}, BOB) == failure("job was called with wrong arguments: not by Bob")
    assert elsewhere.checked == [("ada", {"a": 1}), ("bob", {})]


def test_arguments_of_a_tool_whose_code_is_here_are_checked_here() -> None:
    def job(count: int) -> None: ...

    made = job_of(job)
    assert work_of(made, ADA) is made.work
    assert wrong_arguments(made, {"count": 1}, ADA) is None
    assert "job was called with wrong arguments: " in str(wrong_arguments(made, {"count": "x"}, ADA))
