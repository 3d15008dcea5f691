"""`make rollback` on a stack that was deployed twice, with a task that waits for its user."""

import re
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from local.deploy import deploy
from local.emulator import EXAMPLES, ROOT
from local.stack import Stack, running_stack
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.stack.internals import failures
from tests.stack.rev_2026_07_28.test_retired_keys import respond, wait

NAME = "McpTaskExamples-local"


@pytest.fixture
def own_stack() -> Iterator[Stack]:
    """A stack of this test alone, whose clients are given the instructions of the first deploy."""
    with running_stack(app=EXAMPLES, tools="tests.stack.sample_tools", instructions="of the first") as stack:
        yield stack


def run(stack: Stack, command: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run what `make` runs."""
    port = str(urlsplit(stack.url).port)
    run = [sys.executable, "-m", f"local.{command}", "--stack", NAME, "--port", port, *more]
    return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def instructions(caller: Client) -> str:
    """Return what the server that answers tells its clients to do."""
    return str(caller.result("server/discover")["instructions"])


def test_a_rollback_returns_all_functions_and_tasks_go_on_and_the_next_deploy_goes_forward(own_stack: Stack) -> None:
    caller = client(own_stack.url, own_stack.token("acme", "ada"))
    first = run(own_stack, "rollback")
    assert first.returncode == 1
    assert f"The stack {NAME} has no release before" in first.stderr

    of_the_first = caller.start("await_consent")
    wait(caller, of_the_first, {"input_required"})
    redeploy(own_stack, "of the second")
    assert instructions(caller) == "of the second"
    of_the_second = caller.start("await_consent")
    wait(caller, of_the_second, {"input_required"})

    done = run(own_stack, "rollback")
    assert done.returncode == 0, done.stderr
    assert instructions(caller) == "of the first"
    # All of them: none answers for another release than the others.
    assert held(own_stack) == {"1"}
    assert done.stdout.count(": version 2 of ") == len(aliases(own_stack))
    for task_id in (of_the_first, of_the_second):
        respond(caller, task_id)
        wait(caller, task_id)
        assert caller.tasks_get(task_id)["status"] == "completed"
        assert failures(own_stack, task_id) == ["TaskSuspended"]

    again = run(own_stack, "rollback")
    assert (again.returncode, "already: nothing was changed" in again.stdout) == (0, True)
    assert run(own_stack, "prune", "--days", "0").stdout == ""

    redeploy(own_stack, "of the third")
    assert instructions(caller) == "of the third"
    assert held(own_stack) == {"3"}
    pruned = run(own_stack, "prune", "--days", "0").stdout.splitlines()
    assert len(pruned) == len(aliases(own_stack))
    assert all("version 1 of" in line for line in pruned)
    back = run(own_stack, "rollback")
    assert (back.returncode, instructions(caller)) == (0, "of the second")
    forward = run(own_stack, "rollback", "--release", re.findall(r"(\w+) was deployed last", back.stdout)[0])
    assert (forward.returncode, instructions(caller)) == (0, "of the third")


def redeploy(stack: Stack, text: str) -> None:
    """Deploy the stack with other instructions for its clients."""
    deploy(stack.emulator, stack.app, {**stack.settings, "instructions": text})


def aliases(stack: Stack) -> list[str]:
    """Return the ARNs of all aliases."""
    pages = stack.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=NAME)
    resources = [each for page in pages for each in page["StackResourceSummaries"]]
    return [each["PhysicalResourceId"] for each in resources if each["ResourceType"] == "AWS::Lambda::Alias"]


def held(stack: Stack) -> set[str]:
    """Return the versions that aliases lead to."""
    lambdas = stack.client("lambda")
    named = [arn.rpartition(":function:")[2].split(":") for arn in aliases(stack)]
    return {lambdas.get_alias(FunctionName=name, Name=alias)["FunctionVersion"] for name, alias in named}
