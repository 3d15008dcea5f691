"""A revision is deleted by what its paths are called, and by one line: whatever is left works without it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LISTED = "layers/core/python/mcp_tasks/wire/revisions.py"
REVISIONS = sorted(path.name for path in (ROOT / LISTED).parent.glob("rev_*"))
LINKED = (".venv", ".local")
"""What is installed, which no revision is part of."""

SAMPLE = ("testing", "tools", "test_rooms.py", "protocol/test_requirements.py", "protocol/test_browsers.py")


def without(revision: str, copy: Path) -> Path:
    """Copy the checkout as it is, but for a revision."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if revision not in name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    for name in LINKED:
        (copy / name).symlink_to(ROOT / name)
    lines = (copy / LISTED).read_text().splitlines(keepends=True)
    kept = [line for line in lines if revision not in line]
    assert len(lines) - len(kept) == 1
    (copy / LISTED).write_text("".join(kept))
    return copy


def run(copy: Path, *arguments: str) -> None:
    """Run tests of the copy, with nothing of the checkout in reach."""
    path = os.pathsep.join(["layers/core/python", "layers/tools/python", "."])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_without_a_revision_the_others_and_every_tool_work(tmp_path: Path, revision: str) -> None:
    copy = without(revision, tmp_path)
    others = [f"protocol/{each}" for each in REVISIONS if each != revision]

    run(copy, *(f"tests/{name}" for name in (*SAMPLE, *others)))
