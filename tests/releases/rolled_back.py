"""Goes on with tasks of a newer release in the code of an older one: run within that by `tests/template`.

    python -m tests.releases.rolled_back NEWER_FOLDER OWN_FOLDER

Prints what became of each, as JSON.
"""

import base64
import json
import re
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcp_tasks.testing.state_machines.lambdas import FunctionDied
from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.tasks import DeployedTasks
from tests.infra.assembly import synthesise
from tests.releases.record import CONTEXT, FUNCTION, on_harness
from tests.releases.rev_2026_07_28.scenario import client_of, said

PACKAGE, REVISION = "rev_2026_07_28", "2026-07-28"


def main(newer: Path, own: Path) -> dict[str, Any]:
    """Return what became of the tasks, by the definition that their executions have."""
    with TemporaryDirectory() as temporary:
        template = Template.of_assembly(synthesise(Path(temporary) / "assembly", CONTEXT).folder)
        return {
            "own": _went_on(template, newer, own / "definition.json", own / "catalogue.json"),
            "newer": _went_on(template, newer, newer / "definition.json", own / "catalogue.json"),
        }


def _went_on(template: Template, newer: Path, definition: Path, catalogue: Path) -> dict[str, Any]:
    recorded = json.loads((newer / PACKAGE / "recorded.json").read_text())
    with on_harness(template, catalogue, "now") as harness:
        harness.advance(datetime.fromisoformat(recorded["now"]) - harness.clock.now())
        for item in json.loads((newer / PACKAGE / "table.json").read_text(), object_hook=_bytes):
            client("dynamodb").put_item(TableName=harness.table.name, Item=item)
        harness.deliveries.changes.poll()
        (machine,) = (arn for arn in template.arns("AWS::StepFunctions::StateMachine") if arn.endswith("-run_tool"))
        text = definition.read_text()
        arns = {arn.rpartition(":")[2]: arn for arn in template.arns(FUNCTION)}
        for name, function in template.ours(FUNCTION):
            text = text.replace(f"<{function['Handler'].split('.')[1]}>", arns[name])
            # What an older release does not deploy is deleted: aliases, and functions that it has not.
            harness.lambdas.handlers[f"{name}:live"] = _gone
        text = re.sub(r"<\w+>", f"{next(iter(arns.values()))}", text)
        client("stepfunctions").update_state_machine(stateMachineArn=machine, definition=text)
        for name, given in recorded["executions"].items():
            client("stepfunctions").start_execution(stateMachineArn=machine, name=name, input=given)
            harness.run_until_idle()
        return _answered(DeployedTasks(harness=harness, revision=REVISION), recorded["carried"])


def _answered(tasks: DeployedTasks, held: dict[str, Any]) -> dict[str, Any]:
    asker = client_of(tasks, knows_tasks=True)
    for name, key in (("asked", "one"), ("half", "two")):
        if asker.get_task(held[name]).status == "input_required":
            asker.result("tasks/update", taskId=held[name], inputResponses={key: said("yes")})
    tasks.advance(hours=49)
    return {name: _end_of(asker.get_task(held[name]).result) for name in ("asked", "half", "napping")}


def _end_of(task: Mapping[str, Any]) -> list[Any]:
    content = task.get("result", {}).get("content", [{"text": None}])
    return [task["status"], content[0]["text"] or task.get("statusMessage")]


def _gone(event: Any, context: Any) -> None:
    raise FunctionDied("Lambda.ResourceNotFoundException")


def _bytes(attribute: dict[str, Any]) -> dict[str, Any]:
    return {"B": base64.b64decode(attribute["B"])} if attribute.keys() == {"B"} else attribute


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]))))
