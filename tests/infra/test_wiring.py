"""What the two halves promise each other: tools and machines, settings and variables."""

import json
from datetime import timedelta

import pytest

from examples import TOOLS
from infra.default_machine import NAME
from infra.function_code import functions_of_revisions
from infra.machine_files import find_machines
from mcp_tasks.features.tools import Tool
from mcp_tasks.settings import Settings
from mcp_tasks.version import VERSION
from tests.infra.assembly import ROOT, Assembly, flat

MACHINES = find_machines("layers.examples.machines")
WAITERS = [name.replace("_", "") for name in functions_of_revisions()]
READERS = [*WAITERS, "servemcp", "runtool", "parktask", "recordoutcome", "ontaskchange", "sweep"]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tools_machine_has_a_file(tool: Tool) -> None:
    assert tool.machine in MACHINES


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_execution_has_the_tools_time(tool: Tool) -> None:
    assert tool.timeout <= timedelta(seconds=MACHINES[tool.machine].timeout.to_seconds())


def test_every_function_is_given_every_state_machine_by_its_name(cloud: Assembly) -> None:
    deployed = {machine["StateMachineName"] for machine in cloud.of("AWS::StepFunctions::StateMachine").values()}
    functions = cloud.of("AWS::Lambda::Function")
    machines = json.loads(flat(functions["Functionsservemcp"]["Environment"]["Variables"]["MACHINES"]))

    files = {path.stem for path in (ROOT / "layers" / "examples" / "machines").glob("[!_]*.py")}
    assert set(machines) == {NAME, *files}
    assert {arn.rpartition(":")[2] for arn in machines.values()} == deployed


@pytest.mark.parametrize("name", READERS)
def test_the_core_reads_what_infra_sets(cloud: Assembly, name: str) -> None:
    variables = cloud.of("AWS::Lambda::Function")[f"Functions{name}"]["Environment"]["Variables"]

    settings = Settings.of({key: flat(value) for key, value in variables.items()})

    assert settings.table_name == "<TasksTable>"
    assert settings.payload_bucket == "<PayloadsBucket>"
    assert set(settings.machines) == set(MACHINES)
    assert settings.server_version == VERSION
    assert ("REQUEST_STATE_LIFETIME_SECONDS" in variables) is (name in ("servemcp", *WAITERS))
    assert (settings.stream_arn is not None) is (name in WAITERS)
