"""The functions that run adopters' code hold nothing by which that could reach more than its own task or call."""

import os
import subprocess
import sys

import pytest

IMPORTED = """
import sys
import functions.{name}.handler
print(*sorted(name for name in sys.modules if name.startswith(("mcp_tasks.", "examples"))))
"""
CORE_ONLY = (
    *("mcp_tasks.adapters.dynamodb", "mcp_tasks.adapters.s3", "mcp_tasks.adapters.stepfunctions"),
    *("mcp_tasks.security.signing", "mcp_tasks.security.tickets", "mcp_tasks.security.encryption"),
    *("mcp_tasks.bootstrap", "mcp_tasks.wire", "mcp_tasks.run_host.server", "mcp_tasks.engine.task_host"),
)


@pytest.fixture(scope="module", params=["run_tool", "run_inline"])
def imported(request: pytest.FixtureRequest) -> list[str]:
    """Import the function in a process of its own, with the variables that it has on AWS and no others of ours."""
    variables = {"TOOLS_MODULE": "examples", "HOST_FUNCTION": "host", "AWS_DEFAULT_REGION": "us-east-1"}
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path), **variables}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(name=request.param)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


@pytest.mark.parametrize("name", CORE_ONLY)
def test_it_imports_nothing_that_only_the_core_may_do(imported: list[str], name: str) -> None:
    assert [each for each in imported if f"{each}.".startswith(f"{name}.")] == []


def test_it_imports_the_tools(imported: list[str]) -> None:
    assert {"examples", "mcp_tasks.engine.tool_run"} <= {*imported}
