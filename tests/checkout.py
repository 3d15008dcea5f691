"""Copies of this checkout, for tests that delete or add files."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONG_AGO = 946_684_800
"""The year 2000: before anything was installed, and not before 1980, where the times in a ZIP file begin."""


def copied(to: Path, keep: Callable[[str], bool] = lambda name: True) -> Path:
    """Copy the checkout as it is now, uncommitted changes included, and return where it is."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if keep(name) and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    return to


def as_repository(to: Path) -> Path:
    """Copy the checkout, and make it a git repository of one commit."""
    copied(to)
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "As it is"]):
        subprocess.run(["git", *command], cwd=to, check=True)
    return to


def link_environments(to: Path) -> None:
    """Have a copy use what is installed here, and make take it for newer than its pins."""
    for name in _files(to):
        os.utime(to / name, (LONG_AGO, LONG_AGO))
    (to / ".venv").symlink_to(ROOT / ".venv")
    (to / ".local").mkdir()
    for ready in (ROOT / ".local").glob("*/ready"):
        (to / ".local" / ready.parent.name).symlink_to(ready.parent)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
