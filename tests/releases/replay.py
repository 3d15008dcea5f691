"""Puts what a release recorded on a harness of this checkout, as if that release had been deployed there until now."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.testing.harness import package
from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.executions import FUNCTION, machine_arn
from tests.harness.harness import Harness
from tests.releases.items import HERE
from tests.releases.record import on_harness

RELEASES = ["0.3", "0.4"]
"""Of which tasks in flight were recorded."""

BEFORE = {"0.3": {"run_without_ticket": "run_tool", "run_tool": "none"}}
"""What functions of today were at the time of a release, under the same ARN, where they were others."""


@contextmanager
def continued(template: Template, release: str, revision: str) -> Iterator[tuple[Harness, dict[str, Any]]]:
    """Yield a harness with the table of a release, and its executions begun; and what its clients hold.

    An execution begins anew, by its definition and input of then, and comes to where it was: a state repeated, as after
    a crash, to the stored task.
    """
    own = HERE / release / package(revision)
    recorded = json.loads((own / "recorded.json").read_text())
    with on_harness(template, HERE / release / "catalogue.json", "now") as harness:
        harness.advance(datetime.fromisoformat(recorded["now"]) - harness.clock.now())
        for item in items_of(own / "table.json"):
            client("dynamodb").put_item(TableName=harness.table.name, Item=item)
        # What the stream says of them was acted on by the release of then.
        harness.deliveries.changes.poll()
        _begin(harness, definition_for(template, release), recorded["executions"])
        yield harness, recorded["carried"]


def items_of(file: Path) -> list[Item]:
    """Return the items in a recorded table."""
    found: list[Item] = json.loads(file.read_text(), object_hook=with_bytes)
    return found


def definition_for(template: Template, release: str) -> str:
    """Return the default state machine of a release, with the functions that have the ARNs of then today."""
    definition = (HERE / release / "definition.json").read_text()
    arns = {arn.rpartition(":")[2]: arn for arn in template.arns(FUNCTION)}
    for name, function in template.ours(FUNCTION):
        today = function["Handler"].split(".")[1]
        then = BEFORE.get(release, {}).get(today, today)
        definition = definition.replace(f"<{then}>", arns[name])
    assert "<" not in definition, "the definition names a function that there is not"
    return definition


def _begin(harness: Harness, definition: str, inputs: dict[str, str]) -> None:
    step_functions, machine = client("stepfunctions"), machine_arn(harness.template, "run_tool")
    today = step_functions.describe_state_machine(stateMachineArn=machine)["definition"]
    step_functions.update_state_machine(stateMachineArn=machine, definition=definition)
    for name, given in inputs.items():
        step_functions.start_execution(stateMachineArn=machine, name=name, input=given)
        harness.run_until_idle()
    step_functions.update_state_machine(stateMachineArn=machine, definition=today)


def with_bytes(attribute: dict[str, Any]) -> dict[str, Any]:
    """Return an attribute of an item as it was before it was written as JSON."""
    is_binary = attribute.keys() == {"B"}
    return {"B": base64.b64decode(attribute["B"])} if is_binary else attribute
