"""What each process of a function has for itself, on AWS, from a snapshot too.

Relied on: a function that starts from snapshots says `OptimizationStatus` `On` of a version, and a restored process
draws other random numbers than its like once its generators are seeded anew.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import boto3
import pytest

from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import Stage, needs

pytestmark = pytest.mark.live

AT_ONCE: Final = 10
RESTORED: Final = ("authorize", "serve_mcp", "await_task", "run_inline", "host_run", "run_tool")


def processes(stage: Stage, revision: str, tool: str) -> list[Any]:
    """Return what as many calls at once say of the processes that they meet."""

    def call(_: int) -> Any:
        return json.loads(stage.client(revision).call_tool(tool).text)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(call, range(AT_ONCE)))


@pytest.mark.parametrize("tool", ["process", "process_of_task"])
@pytest.mark.parametrize("revision", PACKAGES)
def test_no_two_processes_draw_the_same_number_or_have_another_time(stage: Stage, revision: str, tool: str) -> None:
    """They ask Lambda, the table and Step Functions with credentials that are good, or no call would be answered."""
    began = time.time()
    found = processes(stage, revision, tool)

    assert len({each["random"] for each in found}) == AT_ONCE
    assert all(began - 5 < each["time"] < time.time() + 5 for each in found)


def test_what_clients_wait_for_is_restored_from_snapshots(any_stage: Stage) -> None:
    lambdas, names = boto3.client("lambda"), {each: str(any_stage.functions[each]["FunctionName"]) for each in RESTORED}
    served = {
        each: lambdas.get_function_configuration(FunctionName=name, Qualifier="live") for each, name in names.items()
    }
    needs(
        served["serve_mcp"].get("SnapStart", {}).get("ApplyOn") == "PublishedVersions",
        f"{any_stage.stack} imports at each cold start: set `snap_start`",
    )

    assert {each: found["SnapStart"]["OptimizationStatus"] for each, found in served.items()} == dict.fromkeys(
        RESTORED, "On"
    )
