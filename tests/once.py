"""What takes seconds to make, made once for all the processes of a run."""

import os
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of that name, which whichever process asks first has made."""
    own = factory.getbasetemp()
    # With pytest-xdist each process has a folder of its own, below that of the run.
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not folder.exists():
            draft = factory.mktemp(name)
            make(draft)
            draft.rename(folder)
    return folder
