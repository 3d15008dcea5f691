"""What the terminal of `make stack` shows of what functions write."""

import json

import pytest

from local.tool_output import of_functions


@pytest.mark.parametrize(("error", "is_shown"), [("TaskSuspended", False), ("RunInterrupted", True)])
def test_an_error_of_lambdas_runtime_is_shown_unless_it_says_that_a_task_is_suspended(
    error: str, is_shown: bool
) -> None:
    line = json.dumps({"level": "ERROR", "errorMessage": "", "errorType": error, "requestId": "r", "stackTrace": []})

    assert of_functions(line) == (line if is_shown else None)
