"""The live tests, on the emulator: that they ask for what there is, so that on AWS a failure is AWS's."""

import json
import os
import subprocess
import sys

import pytest

from local.emulator import ROOT, aws_environment
from local.stack import Stack

PASSED_ON_THE_EMULATOR = ("test_answers.py", "test_executions.py", "test_responses.py")


@pytest.mark.slow
@pytest.mark.parametrize("file", PASSED_ON_THE_EMULATOR)
def test_it_passes(stack: Stack, subject: str, file: str) -> None:
    environment = os.environ | aws_environment(stack.emulator.url, stack.emulator.folder)
    environment |= {
        "MCP_URL": stack.url,
        "MCP_TOKEN": stack.token("acme", subject),
        "MCP_STACK": "McpTaskExamples-local",
        "MCP_TOOL": "publish_report",
        "MCP_ARGUMENTS": json.dumps({"csv": "a,b\n1,2\n"}),
        "MCP_QUIET_TOOL": "repeat",
        "MCP_QUIET_ARGUMENTS": json.dumps({"text": "x"}),
        "MCP_ANSWER": json.dumps({"approved": False}),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-m", "live", "-p", "no:cacheprovider", f"tests/live/{file}"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)

    assert done.returncode == 0, done.stdout
