"""Functions of this release understand what those of each release send, while a deploy replaces them one by one."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks.testing.harness import REVISIONS, package
from mcp_tasks.testing.state_machines.lambdas import function_name
from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.executions import function_arn
from tests.harness.harness import Harness
from tests.harness.tasks import DeployedTasks
from tests.isolation.messages import MESSAGES
from tests.releases.items import HERE
from tests.releases.messages import CREDENTIALS, FILE, said_to, talking
from tests.releases.replay import with_bytes

JSON = Any
FILES = sorted(HERE.glob(f"*/rev_*/{FILE}"))
UNKNOWN = {"unknown": {"of": "a newer release"}}

Change = Callable[[Mapping[str, JSON]], Mapping[str, JSON]]
"""What is done with a recorded message or answer before it is sent again."""


def as_it_was(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Change nothing."""
    return message


def with_more(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Add what nobody knows to a message, and to each part that is a record of this server's own."""
    parts = {name: {**message[name], **UNKNOWN} for name in PARTS if isinstance(message.get(name), dict)}
    return {**message, **parts, **UNKNOWN}


PARTS = ("caller", "journal", "run", "credentials", "progress", "response")
CHANGES = pytest.mark.parametrize("change", [as_it_was, with_more])


@pytest.fixture(params=FILES, ids=lambda file: f"{file.parts[-3]}-{file.parts[-2]}")
def recorded(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """What functions of a release sent each other for clients of a revision, whose name is in `revision`."""
    file: Path = request.param
    (revision,) = (each for each in REVISIONS if package(each) == file.parent.name)
    return {"revision": revision, **json.loads(file.read_text(), object_hook=with_bytes)}


@contextmanager
def deployed_now(template: Template, recorded: Mapping[str, Any]) -> Iterator[Harness]:
    """Yield a harness of this release with a catalogue of then."""
    with talking(template, json.dumps(recorded["catalogue"])) as harness:
        yield harness


def return_to(harness: Harness, run: Mapping[str, Any]) -> None:
    """Set the time and the table to what they were before a run."""
    harness.clock.move(datetime.fromisoformat(run["now"]))
    for item in harness.table.items():
        client("dynamodb").delete_item(TableName=harness.table.name, Key={name: item[name] for name in ("PK", "SK")})
    for item in run["table"]:
        client("dynamodb").put_item(TableName=harness.table.name, Item=item)


def invoke(harness: Harness, folder: str, event: Mapping[str, JSON]) -> tuple[JSON, bool]:
    """Return what a function answers, and whether that is an error."""
    payload, failed = harness.lambdas.invoke(function_name(function_arn(harness.template, folder)), event)
    return json.loads(payload), failed


def lacking(then: JSON, now: JSON) -> JSON:
    """Return the part of `then` that is not in `now`, which may say more; None if all of it is."""
    if isinstance(then, dict) and isinstance(now, dict):
        found = {name: lacking(value, now.get(name)) for name, value in then.items() if value != now.get(name)}
        return {name: value for name, value in found.items() if value is not None} or None
    return None if then == now else [then, now]


def without_secrets(answer: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Return an answer without what differs each time."""
    secret = {"ticket": "", "credentials": CREDENTIALS}
    return {**answer, **{name: secret[name] for name in secret if name in answer}}


def replaying(exchanges: list[Mapping[str, Any]], change: Change, differing: list[JSON]) -> Callable[[Any, Any], Any]:
    """Return a handler that answers as the function of then, and notes what it is sent that differs from then."""
    left = iter(exchanges)

    def handler(event: Any, context: Any) -> Any:
        then = next(left)
        if differs := lacking(then["sent"], event):
            differing.append(differs)
        return change(then["answered"])

    return handler


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
