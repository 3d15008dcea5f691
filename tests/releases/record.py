"""Records tasks in flight on the harness of a release, and what their clients hold, with that release's own code.

python -m tests.releases.record FOLDER
"""

import base64
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from mcp_tasks.features import catalogue
from mcp_tasks.testing.harness import REVISIONS, package
from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.harness import Harness, deployed
from tests.harness.tasks import DeployedTasks
from tests.infra.assembly import synthesise

TOOLS = "tests.releases.tools"
MACHINES = "layers.examples.machines"
CONTEXT = {"local": "1", "machines_module": MACHINES, "aws:cdk:enable-path-metadata": True}
FUNCTION = "AWS::Lambda::Function"


@contextmanager
def on_harness(template: Template, listed: Path, made_by: str) -> Iterator[Harness]:
    """Yield a harness with the tools and a catalogue of them; lists have two entries a page."""
    with (
        patch.dict(os.environ, {"MADE_BY": made_by}),
        deployed(template, {"TOOLS_MODULE": TOOLS, "CATALOGUE": str(listed), "PAGE_SIZE": "2"}) as harness,
    ):
        yield harness


def record(folder: Path) -> None:
    """Write what this release stores and sends into a folder."""
    with TemporaryDirectory() as temporary:
        template = Template.of_assembly(synthesise(Path(temporary) / "assembly", CONTEXT).folder)
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "catalogue.json", json.loads(catalogue.write(TOOLS)))
        for revision in REVISIONS:
            _record_revision(template, revision, folder)


def _record_revision(template: Template, revision: str, folder: Path) -> None:
    own = folder / package(revision)
    own.mkdir(exist_ok=True)
    scenario = import_module(f"tests.releases.{package(revision)}.scenario")
    with on_harness(template, folder / "catalogue.json", "before") as harness:
        carried = scenario.record(DeployedTasks(harness=harness, revision=revision))
        harness.run_until_idle()
        running = [each for each in harness.deliveries.execution_outcomes.all() if each["status"] == "RUNNING"]
        step_functions = client("stepfunctions")
        inputs = {
            each["name"]: step_functions.describe_execution(executionArn=each["executionArn"])["input"]
            for each in running
        }
        (machine,) = {each["stateMachineArn"] for each in running}
        definition = step_functions.describe_state_machine(stateMachineArn=machine)["definition"]
        for name, function in template.ours(FUNCTION):
            definition = definition.replace(_arn(template, FUNCTION, name), f"<{function['Handler'].split('.')[1]}>")
        _write(folder / "definition.json", json.loads(definition))
        _write(own / "table.json", sorted(harness.table.items(), key=lambda item: (item["PK"]["S"], item["SK"]["S"])))
        now = harness.clock.now().isoformat()
        _write(own / "recorded.json", {"now": now, "executions": inputs, "carried": carried})


def _arn(template: Template, kind: str, name: str) -> str:
    (found,) = (each for each in template.arns(kind) if each.rpartition(":")[2] == name)
    return found


def _write(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, indent=2, default=lambda data: base64.b64encode(data).decode()) + "\n")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
