"""The console in Chromium, against the server of `make serve` in this process."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from local.emulator import ROOT
from local.gateway import Gateway
from local.http_server import listen, running
from local.serve import HERE, memory_server
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Tool

PICTURES = ROOT / ".local/page"
"""What the console looked like in each scenario, to be looked at."""

Served = Callable[..., str]
"""Serves tools, and returns the address of the console."""
Driven = Callable[..., Any]
"""Does a scenario of `drive.mjs`, and returns what it found; nothing may have gone wrong in the page."""


@pytest.fixture
def served() -> Iterator[Served]:
    with ExitStack() as started:

        def serve(tools: Sequence[Tool], **stage: Any) -> str:
            server = memory_server(Features.of(tools), {"server_title": "Acme", **stage})
            listening = started.enter_context(listen())
            started.enter_context(running(Gateway(server=server, admit=lambda head: HERE), listening))
            return f"http://127.0.0.1:{listening.getsockname()[1]}/"

        yield serve


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.fail("There is no Chromium here: run `apt-get install chromium`.", pytrace=False)
    return found


@pytest.fixture
def driven(chromium: str) -> Driven:
    PICTURES.mkdir(parents=True, exist_ok=True)
    folder = Path(__file__).parent / "rev_2026_07_28"

    def drive(scenario: str, address: str, **options: Any) -> Any:
        written = json.dumps({"chromium": chromium, "folder": str(PICTURES), **options})
        command = ["node", str(folder / "drive.mjs"), scenario, address, written]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
        assert seen["faults"] == []
        return seen["found"]

    return drive
