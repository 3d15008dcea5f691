"""The code of the previous release goes on with what this one has stored, where it is deployed again."""

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.checkout import link_environments
from tests.no_account import NO_ACCOUNT
from tests.releases.items import HERE, RELEASE
from tests.template.releases import previous_release, unpack_previous

ADDED = ("__init__.py", "record.py", "tools.py", "rolled_back.py", "rev_2026_07_28/scenario.py")


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of tasks that this release left, by the definition that their executions have."""
    there = tmp_path_factory.mktemp("previous")
    unpack_previous(there, lambda name: True)
    link_environments(there)
    for name in ADDED:
        (there / "tests/releases" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / name, there / "tests/releases" / name)
    own = HERE / previous_release()[0].removeprefix("v").rpartition(".")[0]
    path = os.pathsep.join([*(f"layers/{name}/python" for name in ("core", "tools", "examples")), "."])
    done = subprocess.run(
        [sys.executable, "-m", "tests.releases.rolled_back", HERE / RELEASE, own],
        cwd=there,
        env=os.environ | NO_ACCOUNT | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
def test_tasks_whose_executions_it_started_go_on_from_what_this_release_recorded(ends: dict[str, Any]) -> None:
    assert ends["own"] == {
        "asked": ["completed", "made before, yes"],
        "half": ["completed", "made before, first, yes"],
        "napping": ["completed", "made before, rested"],
    }


@pytest.mark.slow
def test_tasks_whose_executions_this_release_started_end_failed_and_none_is_left_working(ends: dict[str, Any]) -> None:
    """Their definition invokes aliases, which the previous release does not deploy and so deletes."""
    assert set(ends["newer"]) == {"asked", "half", "napping"}
    assert list(ends["newer"].values()) == [["failed", "The work failed."]] * 3
