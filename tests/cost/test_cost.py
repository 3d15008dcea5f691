"""What `make cost` says to who counts something that there is not."""

import subprocess
import sys

import pytest

from local.emulator import ROOT
from tests.cost import counts


@pytest.mark.slow
def test_a_name_that_nothing_has_is_refused_with_those_that_there_are() -> None:
    """Else nothing would be counted, and found to be as it was."""
    command = [sys.executable, "-m", "tests.cost", "--check", "--only", "no such name"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("no such name is none of: ")
    assert all(name in done.stderr for name in counts.read()["counts"])
