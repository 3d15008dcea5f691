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


def test_what_is_printed_arrives_at_once_where_the_terminal_is_a_pipe() -> None:
    pipe = TextIOWrapper(BytesIO())

    Copied(pipe, StringIO()).write("line\n")

    pipe.buffer.seek(0)
    assert pipe.buffer.read() == b"line\n"
