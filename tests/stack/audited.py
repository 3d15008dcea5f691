"""What `make audit` exports of a stack on the emulator."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from local.emulator import ROOT
from local.stack import Stack
from tests.stack.internals import function, live

NAME = "McpTaskExamples-local"


def audit(stack: Stack, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run what `make audit` runs."""
    port = str(urlsplit(stack.url).port)
    run = [sys.executable, "-m", "local.audit", "--stack", NAME, "--port", port, *arguments]
    return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def anchor(stack: Stack) -> None:
    """Anchor at once what the schedule would within a minute."""
    answer = stack.client("lambda").invoke(FunctionName=live(function(stack, "anchor_audit")))
    assert "FunctionError" not in answer, answer["Payload"].read()


def records_in(export: Path) -> list[dict[str, Any]]:
    """Return what happened by an export, without its anchors."""
    return [each for each in map(json.loads, export.read_text().splitlines()) if "event" in each]
