"""The releases whose code a story runs: this one, and one before it, which is other modules under another name.

The code of a release before is unpacked from git into a folder of its own, where its package is called `mcp_tasks_` and
its commit: two packages of one name would fight over every import, those within functions included.  Beside it is a
copy of `deployed`, bound to it in the same way.
"""

import atexit
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Final

from tests.checkout import ROOT
from tests.simulation.deployed import functions

COMMITS: Final = ("d33a0ec3229a585973e83ca1c695e5b8cfcc31a7",)
"""Releases before, by their commits.  This is the last commit that may run beside this code: those before it count what
tasks hold in other items, and 0.3 does not have all functions of today."""

CODE: Final = Path("layers/core/python/mcp_tasks")
PACKAGE, BOUND = CODE.name, "tests.simulation.deployed"
DEPLOYED: Final = Path(__file__).parent / "deployed"


@dataclass(frozen=True, slots=True)
class Release:
    """A release: what the trace calls it, and the module `deployed.functions` that is bound to its code."""

    name: str
    functions: ModuleType


THIS: Final = Release("this release", functions)
_LOADED: Final = [THIS]


@cache
def release_before(commit: str) -> Release:
    """Return a release before, which is loaded when a story first has it."""
    folder = Path(mkdtemp(prefix="release-before-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    renamed = names_of(commit)
    _unpack(commit, folder / renamed[PACKAGE])
    shutil.copytree(DEPLOYED, folder / renamed[BOUND], ignore=shutil.ignore_patterns("__pycache__"))
    for source in folder.rglob("*.py"):
        source.write_text(rename(source.read_text(), commit))
    sys.path.append(str(folder))
    release = Release("a release before", import_module(f"{renamed[BOUND]}.functions"))
    _LOADED.append(release)
    return release


def names_of(commit: str) -> dict[str, str]:
    """Return what the packages are called that belong to a release before."""
    return {PACKAGE: f"{PACKAGE}_{commit[:8]}", BOUND: f"deployed_{commit[:8]}"}


def rename(source: str, commit: str) -> str:
    """Return a module with the other names of its packages, by which it also imports some as text."""
    for name, renamed in names_of(commit).items():
        source = re.sub(rf"\b{re.escape(name)}\b", renamed, source)
    return source


def _unpack(commit: str, to: Path) -> None:
    """Write the code of a release before into a folder.

    A project that was made from the template has none of its history: to it, the release before is what it has now.
    """
    if not (ROOT / "tests/template").exists():
        shutil.copytree(ROOT / CODE, to, ignore=shutil.ignore_patterns("__pycache__"))
        return
    command = ["git", "archive", "--format=tar", commit, str(CODE)]
    archive = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for each in files:
            content = files.extractfile(each) if each.isfile() else None
            if content is not None:
                place = to / Path(each.name).relative_to(CODE)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())


def unavailable() -> tuple[type[Exception], ...]:
    """Return how a function of any release fails that cannot reach the executor."""
    return tuple(release.functions.UNAVAILABLE for release in _LOADED)


def interrupted() -> tuple[type[BaseException], ...]:
    """Return how a run of any release fails that something else interrupted."""
    return tuple(kind for release in _LOADED for kind in release.functions.INTERRUPTED)
