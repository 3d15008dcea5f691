"""Every fallback is logged with the field `fallback`, and each kind of it is documented."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_tasks import aws, bootstrap
from mcp_tasks.engine.execution_outcomes import ExecutionOutcomes
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.fallbacks import forget_reported, skip_unreadable
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.errors import UnreadableItem
from tests.kit import ADA, FixedClock, IdleExecutor, memory_ports
from tests.revisions import REVISIONS
from tests.unit.jobs import job

ROOT = Path(__file__).parents[2]
SETTINGS = Settings(table_name="tasks", payload_bucket="payloads")


def logged(caplog: pytest.LogCaptureFixture) -> list[object]:
    """Return the fallbacks that were logged."""
    return [each["fallback"] for each in map(vars, caplog.records) if "fallback" in each]


def test_every_fallback_is_documented_and_every_documented_one_exists() -> None:
    sources = [file.read_text() for room in ("layers/core", "functions") for file in (ROOT / room).rglob("*.py")]
    in_code = {name for text in sources for name in re.findall(r'"fallback": "(\w+)"', text)}
    rows = re.findall(r"^\| `(\w+)` \| (?:(\d+-\d+-\d+): )?", section("Fallbacks"), re.MULTILINE)
    listed = {name for name, revision in rows if revision in ("", *REVISIONS)}

    assert len(in_code) > 5
    assert listed == in_code


def section(title: str) -> str:
    """Return a section of `docs/deploy.md`."""
    return (ROOT / "docs/deploy.md").read_text().split(f"## {title}\n")[1].split("\n## ")[0]


def test_an_item_that_cannot_be_read_is_logged_with_its_tenant_and_without_its_subject(
    caplog: pytest.LogCaptureFixture,
) -> None:
    forget_reported()
    with skip_unreadable("it is left out", owner_key=ADA.owner_key, task="t1"):
        raise UnreadableItem("task#t1", "cannot be read")

    (record,) = map(vars, caplog.records)
    assert (record["tenant"], record["task"]) == (ADA.tenant, "t1")
    assert ADA.subject not in {*record.values()} | set(record["message"].split())
    assert "owner_key" not in record


def test_no_owner_key_which_has_a_subject_is_in_what_is_logged() -> None:
    logs = re.compile(r"logger\.\w+\((?:[^()]|\([^()]*\))*\)|extra = \{[^}]*\}|about = \{[^}]*\}")
    sources = [file for room in ("layers/core", "functions") for file in (ROOT / room).rglob("*.py")]
    found = [(file.name, each) for file in sources for each in logs.findall(file.read_text())]

    assert len(found) > 40
    assert [
        (name, each) for name, each in found if re.search(r"owner_key\"|subject|extra=.*owner_key\b(?!\))", each)
    ] == []


@pytest.mark.parametrize(
    ("status", "fallbacks"),
    [("FAILED", ["ended_by_event"]), ("SUCCEEDED", ["ended_by_event"]), ("ABORTED", []), ("TIMED_OUT", [])],
)
def test_an_execution_that_left_its_outcome_to_the_event_is_logged(
    caplog: pytest.LogCaptureFixture, status: str, fallbacks: list[str]
) -> None:
    tasks = TaskService(ports=memory_ports())
    execution_outcomes = ExecutionOutcomes(tasks=tasks, tools=Toolbox([job]))
    task = tasks.start(ADA, job, {})
    execution_outcomes.ended(ADA.owner_key, task.id, status)
    execution_outcomes.ended(ADA.owner_key, task.id, status)

    assert logged(caplog) == fallbacks


def test_work_that_is_left_to_the_stream_and_found_by_the_sweep_is_logged_twice(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock, executor = FixedClock(), IdleExecutor(down=True)
    tasks = TaskService(ports=memory_ports(clock, executor=executor))
    tasks.start(ADA, job, {})
    executor.down = False
    clock.sleep(timedelta(minutes=2))
    for _ in range(2):
        Reconciler(tasks=tasks, ports=tasks.ports).sweep(limit=9)

    assert logged(caplog) == ["left_to_stream", "swept"]


def test_the_endpoint_imports_no_tools_where_there_is_no_catalogue() -> None:
    with pytest.raises(ValueError, match="CATALOGUE names no file"):
        bootstrap.features(SETTINGS)


def test_code_that_is_compiled_at_each_start_is_reported(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    there = tmp_path / "code.pyc"
    there.touch()
    for cached in (str(there), str(tmp_path / "nowhere.pyc"), None):
        aws.check_bytecode(cached)

    assert logged(caplog) == ["compiled_from_source"] * 2
