"""The console as an app within a host: it calls tools, and nothing else."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from local.emulator import ROOT
from mcp_tasks.features.tools import BUILT_IN
from mcp_tasks.wire.apps import CONSOLE, MIME_TYPE
from tests.page.conftest import Driven
from tests.page.rev_2026_07_28 import inbox_tools
from tests.page.rev_2026_07_28.conftest import Served
from tests.page.rev_2026_07_28.people import OPERATORS
from tests.page.rev_2026_07_28.sample_tools import TOOLS

pytestmark = pytest.mark.slow


def test_a_host_shows_tasks_and_the_inbox_by_calling_tools_alone(served: Served, driven: Driven) -> None:
    found = driven("hosted", served([*TOOLS, *inbox_tools.TOOLS], inbox_tools.ASKS, operators=OPERATORS))

    assert (found["uri"], found["type"]) == (CONSOLE, MIME_TYPE)
    # Nothing that runs in one process has pages of its tasks, and the others are for the holders of links.
    assert set(BUILT_IN) - set(found["listed"]) == {"task_links", "approval_open", "approval_remind"}
    assert len(found["tabs"]) == 3
    assert "3 of 1,000" in found["tenants"]
    assert sorted(found["rows"]) == ["fail", "gallery", "hold"]
    assert all(part in found["text"] for part in ("A text.", "An embedded note."))
    assert all(part in found["error"] for part in ("The disk is gone.", "4711"))
    assert found["links"] == ["https://example.com/report"]
    assert found["methods"] == [
        "tools/call",
        "ui/initialize",
        "ui/notifications/initialized",
        "ui/notifications/size-changed",
        "ui/open-link",
    ]


@pytest.mark.parametrize("mode", ["legacy", "modern"], ids=["2025-11-25", "2026-07-28"])
def test_a_host_on_the_official_bridge_shows_the_console_in_its_sandbox(
    served: Served, driven: Driven, mode: str
) -> None:
    """The basic host of ext-apps is on no registry: `AppBridge`, which it is made of, is."""
    address = served([*TOOLS, *inbox_tools.TOOLS], inbox_tools.ASKS)

    found = driven("bridged", address, given={"mode": mode, "origins": ["http://sandbox.localhost"]})

    assert (found["uri"], found["type"]) == (CONSOLE, MIME_TYPE)
    assert found["app"] == {"name": "console", "version": "1"}
    assert found["height"] == 640
    assert all(part in found["text"] for part in ("A text.", "An embedded note."))
    assert "Approved by you, in an inbox" in found["past"]
    assert found["links"] == ["https://example.com/report"]


@pytest.mark.parametrize("era", [[], ["--protocol-era", "modern"]], ids=["2025-11-25", "2026-07-28"])
def test_the_inspector_finds_the_app_of_the_list(served: Served, tmp_path: Path, era: list[str]) -> None:
    program = ROOT / ".local/node_clients/node_modules/.bin/mcp-inspector"
    asked = ["--method", "tools/call", "--tool-name", "task_list", "--app-info", "--advertise-apps"]
    command = [str(program), "--cli", f"{served(TOOLS)}mcp", "--transport", "http", *asked, *era]

    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"HOME": str(tmp_path)}, timeout=60)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["hasApp"], found["resourceUri"], found["resourceMimeType"]) == (True, CONSOLE, MIME_TYPE)
    assert found["csp"] == {}
