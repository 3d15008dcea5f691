"""The console in Chromium."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.emulator import ROOT

PICTURES = ROOT / ".local/page"
"""What the console looked like in each scenario, to be looked at."""

Driven = Callable[..., Any]
"""Does a scenario of `drive.mjs`, and returns what it found; nothing may have gone wrong in the page."""


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
