"""What the terminal of `make stack` shows of what functions write."""

import json
from io import BytesIO, StringIO, TextIOWrapper

import pytest

from local.tool_output import Copied, of_functions


@pytest.mark.parametrize(("error", "is_shown"), [("TaskSuspended", False), ("RunInterrupted", True)])
def test_an_error_of_lambdas_runtime_is_shown_unless_it_says_that_a_task_is_suspended(
    error: str, is_shown: bool
) -> None:
    line = json.dumps({"level": "ERROR", "errorMessage": "", "errorType": error, "requestId": "r", "stackTrace": []})

    assert of_functions(line) == (line if is_shown else None)


@pytest.mark.parametrize(
    ("logger", "level", "shown"),
    [
        ("mcp_tasks.wire.call_log", "INFO", None),
        ("audit", "INFO", None),
        ("mcp_tasks.engine.tool_run", "ERROR", "task_list 1 | ERROR:mcp_tasks.engine.tool_run:said"),
        ("mcp_tasks.authoring.retries", "WARNING", "task_list 1 | WARNING:mcp_tasks.authoring.retries:said"),
        ("audit", "ERROR", "task_list 1 | ERROR:audit:said"),
        ("auditing", "INFO", "task_list 1 | INFO:auditing:said"),
        ("root", "DEBUG", "task_list 1 | DEBUG:root:said"),
    ],
)
def test_terminal_shows_what_tools_log_and_not_each_request_and_step(
    logger: str, level: str, shown: str | None
) -> None:
    record = {"level": level, "logger": logger, "message": "said", "tool": "task_list", "task": "1"}

    assert of_functions(json.dumps(record)) == shown


def test_what_is_printed_arrives_at_once_where_the_terminal_is_a_pipe() -> None:
    pipe = TextIOWrapper(BytesIO())

    Copied(pipe, StringIO()).write("line\n")

    pipe.buffer.seek(0)
    assert pipe.buffer.read() == b"line\n"
