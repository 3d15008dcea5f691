"""Reading the runner's requirements, and the files that it writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from local.emulator import ROOT
from tests.conformance.runner import Check, RunnerFailed, read, requirements, run, scenarios, version

# As the runner writes them, with fewer fields.
SAMPLING = [
    {
        "id": "tools-call-sampling",
        "name": "ToolsCallSampling",
        "description": "Tool requests LLM sampling from client",
        "status": "FAILURE",
        "timestamp": "2026-11-21T12:17:13.431Z",
        "errorMessage": "Server did not request sampling from client",
        "details": {"samplingRequested": False},
    },
    {"id": "wire-schema-valid", "status": "SUCCESS", "details": {"messagesValidated": 5, "violations": []}},
]
STATELESS = [
    {
        "id": "sep-2575-server-sends-tools-list-changed-on-subscription",
        "status": "SKIPPED",
        "details": {"note": "Server did not declare tools.listChanged capability in server/discover"},
    },
]


def leave(folder: Path, scenario: str, checks: list[dict[str, Any]]) -> None:
    left = folder / f"server-{scenario}-2026-11-21T12-17-13-376Z"
    left.mkdir()
    (left / "checks.json").write_text(json.dumps(checks))


def test_results_are_found_by_the_name_of_their_folder(tmp_path: Path) -> None:
    leave(tmp_path, "tools-call-sampling", SAMPLING)
    leave(tmp_path, "server-stateless", STATELESS)

    assert read(tmp_path) == {
        "server-stateless": (
            Check(
                id="sep-2575-server-sends-tools-list-changed-on-subscription",
                status="SKIPPED",
                message="Server did not declare tools.listChanged capability in server/discover",
            ),
        ),
        "tools-call-sampling": (
            Check(id="tools-call-sampling", status="FAILURE", message="Server did not request sampling from client"),
            Check(id="wire-schema-valid", status="SUCCESS"),
        ),
    }


def test_what_left_no_result_has_failed_and_what_is_not_required_shows() -> None:
    required, found = {"ping": None, "tasks-lifecycle": "extension"}, {"news": (), "tasks-lifecycle": ()}

    ping, tasks, news = scenarios("2025-11-25", required, found)
    assert (ping.name, ping.outcome, ping.checks[0].message) == ("ping", "FAILED", "the runner left no result")
    assert (tasks.name, tasks.unscored) == ("tasks-lifecycle", "extension")
    assert (news.name, news.outcome) == ("news", "skipped")


def test_a_runner_that_leaves_nothing_has_not_run() -> None:
    with pytest.raises(RunnerFailed, match="Unknown spec revision"):
        run("http://127.0.0.1:9/mcp", "1999-01-01")


@pytest.mark.parametrize(("revision", "scored", "unscored"), [("2025-11-25", 30, 3), ("2026-07-28", 37, 13)])
def test_the_requirements_are_those_of_servers(revision: str, scored: int, unscored: int) -> None:
    reasons = list(requirements(revision).values())

    assert (reasons.count(None), len(reasons) - reasons.count(None)) == (scored, unscored)
    assert requirements(revision)["json-schema-2020-12"] == "pending"
    assert requirements(revision)["tools-list"] is None
    assert "tools_call" not in requirements(revision)


def test_the_runner_is_the_one_that_is_pinned() -> None:
    pins = json.loads((ROOT / "local/node_conformance/package.json").read_text())["dependencies"]

    assert version() == pins["@modelcontextprotocol/conformance"]
