"""Replays what functions of a release sent each other, on a harness of this checkout."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.state_machines.lambdas import function_name
from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.executions import function_arn
from tests.harness.harness import Harness
from tests.releases.items import HERE
from tests.releases.messages import CREDENTIALS, FILE, talking

FILES = sorted(HERE.glob(f"*/rev_*/{FILE}"))

Change = Callable[[Mapping[str, JSON]], JSON]
"""What is done with a recorded message or answer before it is sent again."""


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


def without_names(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Return a message without the name by which a run asks for a lease, which each run draws."""
    return {**message, "run": ""} if "run" in message else message


def replaying(exchanges: list[Mapping[str, Any]], change: Change, differing: list[JSON]) -> Callable[[Any, Any], Any]:
    """Return a handler that answers as the function of then, and notes what it is sent that differs from then."""
    left = iter(exchanges)

    def handler(event: Any, context: Any) -> Any:
        then = next(left)
        if differs := lacking(without_names(then["sent"]), without_names(event)):
            differing.append(differs)
        return change(then["answered"])

    return handler
