"""`make smoke` on a stack that is well, and on what is not."""

import json
import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from local.emulator import ROOT
from local.stack import Stack
from mcp_tasks.wire.revisions import PACKAGES

VERSIONS = [each.removeprefix("rev_").replace("_", "-") for each in PACKAGES]


def smoke(stack: Stack, *more: str, token: str) -> subprocess.CompletedProcess[str]:
    """Run what `make` runs."""
    port = str(urlsplit(stack.url).port)
    command = [sys.executable, "-m", "local.smoke", "--stack", "McpTaskExamples-local", "--port", port, *more]
    environment = os.environ | {"TOKEN": token}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_it_says_of_a_stage_that_is_well_what_holds(stack: Stack, subject: str) -> None:
    arguments = json.dumps({"text": "one"})

    done = smoke(stack, "--tool", "repeat", "--arguments", arguments, token=stack.token("acme", subject))

    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    first, *lines = done.stdout.splitlines()
    assert first == stack.url
    assert [line.split()[0] for line in lines] == ["ok"] * (2 + 2 * len(VERSIONS))
    for version in VERSIONS:
        assert f"  ok      {version}: repeat runs (as a task, " in done.stdout


@pytest.mark.parametrize(
    ("more", "token", "said"),
    [
        (("--tool", "no_such_tool"), "", "lists its tools: there is no no_such_tool, only "),
        (("--tool", "repeat"), "", "repeat runs: "),
        ((), "none.such.token", "lists its tools: it is answered with 401"),
    ],
    ids=["a tool that there is not", "arguments that do not fit", "a token of nobody"],
)
def test_what_fails_is_said_and_is_its_exit_status(
    stack: Stack, subject: str, more: tuple[str, ...], token: str, said: str
) -> None:
    done = smoke(stack, *more, token=token or stack.token("acme", subject))

    assert done.returncode == 1
    for version in VERSIONS:
        assert f"  FAILED  {version}: {said}" in done.stdout
    assert "Traceback" not in done.stderr, done.stderr


def test_a_dead_letter_is_found(stack: Stack, subject: str) -> None:
    sqs = stack.client("sqs")
    (queue,) = [url for url in sqs.list_queues()["QueueUrls"] if "Undelivered" in url or "DeadLetters" in url][:1]
    sqs.send_message(QueueUrl=queue, MessageBody="{}")
    try:
        done = smoke(stack, token=stack.token("acme", subject))
    finally:
        sqs.purge_queue(QueueUrl=queue)

    assert done.returncode == 1
    assert "  FAILED  no dead letters wait: 1 in " in done.stdout


def test_without_a_token_it_says_what_is_missing(stack: Stack) -> None:
    done = smoke(stack, token="")

    assert done.returncode == 1
    assert done.stderr.startswith("TOKEN should be the access token of a subject")
