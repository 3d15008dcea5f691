"""Functions of this release understand what those of each release send, while a deploy replaces them one by one."""

from collections.abc import Mapping
from typing import Any

import pytest

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.tasks import DeployedTasks
from tests.isolation.messages import MESSAGES
from tests.releases.messages import said_to
from tests.releases.replay_messages import (
    Change,
    deployed_now,
    invoke,
    lacking,
    replaying,
    return_to,
    without_secrets,
)

UNKNOWN = {"unknown": {"of": "a newer release"}}
PARTS = ("caller", "journal", "run", "credentials", "progress", "response")
"""The parts of messages that are records of this server's own."""


def as_it_was(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Change nothing."""
    return message


def with_more(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Add what nobody knows to a message, and to its parts."""
    parts = {name: {**message[name], **UNKNOWN} for name in PARTS if isinstance(message.get(name), dict)}
    return {**message, **parts, **UNKNOWN}


CHANGES = pytest.mark.parametrize("change", [as_it_was, with_more])


@CHANGES
def test_run_inline_answers_the_endpoint_of_then(
    template: Template, recorded: Mapping[str, Any], change: Change
) -> None:
    with deployed_now(template, recorded) as harness:
        answers = [invoke(harness, "run_inline", change(each["sent"])) for each in recorded["inline"]]

    for then, (answer, failed) in zip(recorded["inline"], answers, strict=True):
        assert not failed, answer
        assert lacking(then["answered"], answer) is None


@CHANGES
def test_the_endpoint_reads_what_run_inline_of_then_answers(
    template: Template, recorded: Mapping[str, Any], change: Change
) -> None:
    differing: list[JSON] = []
    with deployed_now(template, recorded) as harness:
        harness.replace("run_inline", replaying(recorded["inline"], change, differing))
        tasks = DeployedTasks(harness=harness, revision=recorded["revision"])

        assert said_to(tasks.connect()) == recorded["said"]
    assert differing == []


@CHANGES
def test_the_host_does_what_runs_of_then_ask_for(
    template: Template, recorded: Mapping[str, Any], change: Change
) -> None:
    with deployed_now(template, recorded) as harness:
        for run in recorded["runs"]:
            return_to(harness, run)
            for then in run["messages"]:
                answer, failed = invoke(harness, "host_run", change(then["sent"]))

                assert not failed, answer
                assert lacking(without_secrets(then["answered"]), without_secrets(answer)) is None


@CHANGES
def test_runs_read_what_the_host_of_then_answers(
    template: Template, recorded: Mapping[str, Any], change: Change
) -> None:
    differing: list[JSON] = []
    with deployed_now(template, recorded) as harness:
        for run in recorded["runs"]:
            return_to(harness, run)
            before = harness.replace("host_run", replaying(run["messages"], change, differing))
            answer, failed = invoke(harness, "run_tool", change(run["event"]))
            harness.replace("host_run", before)

            assert differing == []
            assert ([answer["errorType"], answer["errorMessage"]] if failed else None) == run.get("raised")
            assert (None if failed else answer) == run.get("answered")


def test_every_kind_of_message_was_recorded(recorded: Mapping[str, Any]) -> None:
    of_runs = {message["sent"]["does"] for run in recorded["runs"] for message in run["messages"]}
    inline = {message["sent"]["does"] for message in recorded["inline"]}

    assert of_runs == set(MESSAGES)
    assert inline == {"tool", "prompt", "resource", "completion", "check", "returned"}
