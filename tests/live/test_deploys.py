"""What deploys and rollbacks do to who calls meanwhile, on AWS.

Relied on: Lambda keeps versions whose layers' versions were deleted, and ListVersionsByFunction has their variables.
"""

import os
import subprocess
import sys

import boto3
import pytest

from local.emulator import ROOT
from local.releases import Published, aliases_of, published, release_before
from mcp_tasks.wire.revisions import PACKAGES
from tests.flood import GREETING
from tests.live.deployed import Stage, accept, ended, needs, until

pytestmark = pytest.mark.live

AFTERWARDS = 20
"""Rounds of calls after a deploy, in which what was cached meets what is new."""


def functions(stage: Stage) -> list[Published]:
    return list(published(boto3.client("lambda"), aliases_of(stage.stack)))


def roll_back(stage: Stage, *more: str) -> None:
    """Run `make rollback`."""
    command = [sys.executable, "-m", "local.rollback", "--stage", "deployed", "--stack", stage.stack, *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check_that_all_is_served(stage: Stage) -> None:
    """Ping, and have each revision run a task."""
    assert stage.http().send(GREETING).status == 200
    for revision in PACKAGES:
        assert stage.client(revision).call_tool("fill").text == "x" * 10


def smoke(stage: Stage) -> subprocess.CompletedProcess[str]:
    """Run `make smoke` with a tool, which looks for dead letters, too."""
    command = [sys.executable, "-m", "local.smoke", "--stage", "deployed", "--stack", stage.stack, "--tool", "fill"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_make_smoke_finds_a_stage_well_that_is(stage: Stage) -> None:
    done = smoke(stage)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_release_before_serves_after_a_rollback_and_the_newest_again(stage: Stage) -> None:
    """On a stage with `tool_isolation`, too: its functions have versions and an alias like any other."""
    before, newest = release_before(functions(stage)), {each.release for each in functions(stage)}
    needs(before, f"{stage.stack} has one release: deploy another one, as with -c instructions=...")
    (name,) = newest
    roll_back(stage)
    try:
        assert {each.release for each in functions(stage)} == {before}
        check_that_all_is_served(stage)
    finally:
        roll_back(stage, "--release", str(name))

    assert {each.release for each in functions(stage)} == newest
    check_that_all_is_served(stage)


def test_a_deploy_loses_nothing_and_refuses_nobody(stage: Stage) -> None:
    """Whatever it changes: code, the tenants' shares, or the key by which all is encrypted."""
    needs(
        "DEPLOY" in os.environ,
        "DEPLOY would be the command of a deploy: make deploy APP=tests/live/stage/app.py CDK_OPTIONS=...",
    )
    clients = {revision: stage.client(revision, accept) for revision in PACKAGES}
    asking = {revision: client.start_task("ask") for revision, client in clients.items()}
    waiting = [client.start_task("wait_an_hour") for client in clients.values()]
    until(lambda: all(each.status == "input_required" for each in asking.values()))
    executions = [stage.execution_of(each) for each in waiting]

    deploying = subprocess.Popen(os.environ["DEPLOY"], shell=True, cwd=ROOT)
    try:
        check_that_all_is_served(stage)
        for each in waiting:
            each.cancel()
        while deploying.poll() is None:
            check_that_all_is_served(stage)
    finally:
        deploying.wait()
    for _ in range(AFTERWARDS):
        check_that_all_is_served(stage)

    assert deploying.returncode == 0
    assert {each: task.wait().is_error for each, task in asking.items()} == dict.fromkeys(asking, False)
    assert [ended(each) for each in executions] == ["ABORTED"] * len(executions)
    assert smoke(stage).returncode == 0
