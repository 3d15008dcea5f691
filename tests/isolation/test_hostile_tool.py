"""What a tool finds in the process that runs it, which ran tools of other tenants before."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Task
from mcp_tasks.wiring import Wiring
from tests.isolation import hostile_tools
from tests.isolation.tool_process import ToolProcess, tool_process
from tests.kit import ADA, EVE, SECRET, FixedClock, memory_ports

ENDINGS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("returns", "fails", "breaks", "asks", "sleeps")},
    "is cancelled": {"status_reported": {"not_wanted": True}},
    "is interrupted": {"status_reported": None},
    "is interrupted at its end": {"finish": None},
}
"""How a run ends: by the tool of that name, or by what the host answers instead."""


@pytest.fixture(scope="module")
def wiring() -> Wiring:
    # The function reads the clock of this machine.
    return Wiring(ports=memory_ports(FixedClock(datetime.now(UTC))))


@pytest.fixture(scope="module")
def process(wiring: Wiring) -> Iterator[ToolProcess]:
    with tool_process(wiring.host_server()) as found:
        yield found


def run(wiring: Wiring, process: ToolProcess, caller: Caller, tool: str, **arguments: str) -> tuple[Task, str]:
    """Run a tool for a caller, as a state machine does, and return its task and its start ticket."""
    (found,) = [each for each in hostile_tools.TOOLS if each.name == tool]
    capabilities = frozenset({"elicitation.form"})
    task = wiring.tasks().start(caller, found, arguments, client_capabilities=capabilities)
    ticket = wiring.tickets().for_start(caller.owner_key, task.id, until=task.expires_at)
    process.handle({"ticket": ticket, "task": task.id, "attempt": 1})
    return task, ticket


def found_by_the_next(wiring: Wiring, process: ToolProcess, path: Path) -> list[str]:
    """Return all text that a tool of another tenant comes by."""
    run(wiring, process, ADA, "search", found=str(path))
    texts: list[str] = json.loads(path.read_text())
    return texts


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_of_another_tenants_run_is_left(
    wiring: Wiring, process: ToolProcess, tmp_path: Path, ending: str
) -> None:
    process.endpoint.instead = ENDINGS[ending]
    tool = ending if hasattr(hostile_tools, ending) else "returns"
    task, ticket = run(wiring, process, EVE, tool, secret=f"Eve's, who {ending}")
    process.endpoint.instead = {}
    run_ticket = process.endpoint.run_tickets[-1]
    texts = found_by_the_next(wiring, process, tmp_path / "found.json")

    theirs = (ticket, run_ticket, task.id, EVE.owner_key, "Eve's")
    assert [text for text in texts if any(each in text for each in theirs)] == []


def test_a_tool_finds_what_it_holds_itself(wiring: Wiring, process: ToolProcess, tmp_path: Path) -> None:
    """The search finds what there is: its own ticket, its caller and the function's credentials."""
    texts = found_by_the_next(wiring, process, tmp_path / "found.json")

    assert process.endpoint.run_tickets[-1] in texts
    assert {ADA.owner_key, "AWS_SECRET_ACCESS_KEY", str(tmp_path / "found.json")} <= set(texts)


def test_no_tool_finds_a_signing_key(wiring: Wiring, process: ToolProcess, tmp_path: Path) -> None:
    texts = found_by_the_next(wiring, process, tmp_path / "found.json")

    written = [SECRET.decode(), SECRET.hex(), base64.b64encode(SECRET).decode().rstrip("=")]
    assert [text for text in texts if any(key in text for key in written)] == []
