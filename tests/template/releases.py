"""The template as a repository with two releases, the previous one and this checkout, and projects made from it."""

import re
import subprocess
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from tests.checkout import ROOT, copied

COPIER = ROOT / ".local/copier/bin/copier"
THIS = "v999.0.0"
"""What this checkout is called: it may have no version yet."""

IDENTITY = ["-c", "user.name=tests", "-c", "user.email=tests@example.com"]
UPDATER = ("copier.yml", ".copier-answers.yml.jinja")

Keep = Callable[[str], bool]


def git(folder: Path, *command: str) -> bytes:
    """Run a git command, and return what it prints."""
    return subprocess.run(["git", *IDENTITY, *command], cwd=folder, check=True, stdout=subprocess.PIPE).stdout


def previous_release() -> tuple[str, str]:
    """Return the tag of the newest release before this checkout, and the commit that set its version."""
    changelog = (ROOT / "CHANGELOG.md").read_text()
    dated = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - ", changelog, re.MULTILINE)
    version = dated[0 if "## [Unreleased]" in changelog else 1]
    home = "layers/core/python/mcp_tasks/version.py"
    commits = git(ROOT, "log", "--reverse", "--format=%H", f"-S{version}", "--", home).split()
    assert commits, f"No commit sets the version {version}: this needs the whole history, and so no shallow clone."
    return f"v{version}", commits[0].decode()


def unpack_previous(to: Path, keep: Keep) -> None:
    """Write the files of the previous release into a folder."""
    unpack(previous_release()[1], to, keep)


def unpack(commit: str, to: Path, keep: Keep = lambda name: True) -> Path:
    """Write the files of a commit into a folder, and return that."""
    archive = git(ROOT, "archive", "--format=tar", commit)
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for each in files:
            content = files.extractfile(each)
            if content and keep(each.name):
                (to / each.name).parent.mkdir(parents=True, exist_ok=True)
                (to / each.name).write_bytes(content.read())
                (to / each.name).chmod(each.mode)
    return to


def template(folder: Path, keep: Keep) -> Path:
    """Make the repository."""
    folder.mkdir()
    git(folder, "init", "-q", "--template=")
    unpack_previous(folder, keep)
    release(folder, previous_release()[0])
    git(folder, "rm", "-rq", ".")
    copied(folder, keep)
    release(folder, THIS)
    # Copier looks at each file of the repository, those of git included, and they are packed where one clones from.
    git(folder, "gc", "-q", "--prune=now")
    return folder


def release(repository: Path, tag: str) -> None:
    """Commit everything, and tag it."""
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", tag)
    git(repository, "tag", tag)


def cloned(source: Path, folder: Path, keep: Keep) -> Path:
    """Return a project that is a clone of the previous release, with and without what docs/upgrading.md says."""
    folder.mkdir()
    unpack_previous(folder, lambda name: keep(name) and name not in UPDATER)
    answers = f"_commit: {previous_release()[0]}\n_src_path: {source}\n"
    (folder / ".copier-answers.yml").write_text(answers)
    return folder


def made(source: Path, folder: Path) -> Path:
    """Return a project that copier made from the previous release."""
    run(source, "copy", "--defaults", "--quiet", f"--vcs-ref={previous_release()[0]}", str(source), str(folder))
    return folder


def run(folder: Path, *command: str) -> None:
    """Run copier."""
    subprocess.run([COPIER, *command], cwd=folder, check=True)
