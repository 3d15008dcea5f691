"""The official conformance runner: what it requires of a server, and what it finds."""

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from local.emulator import ROOT
from tests import revisions

PACKAGE = ROOT / ".local/node_conformance/node_modules/@modelcontextprotocol/conformance"
REVISIONS = tuple(reversed(revisions.REVISIONS))
"""Those that the server speaks, oldest first."""

TIMEOUT_SECONDS = 600

Status = Literal["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"]
Outcome = Literal["passed", "FAILED", "skipped"]

# Added to every scenario, and content with nothing: by itself it says only that nothing wrong was said.
SCHEMA_CHECK = "wire-schema-valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check of the runner."""

    id: str
    status: Status
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What the runner found in a scenario; `unscored` says why it does not count, if it does not."""

    revision: str
    name: str
    unscored: str | None
    checks: tuple[Check, ...]

    def all(self, status: Status) -> list[Check]:
        """Return the checks that ended so."""
        return [check for check in self.checks if check.status == status]

    @property
    def outcome(self) -> Outcome:
        """Return the result in words; a scenario without checks has not passed."""
        if self.all("FAILURE"):
            return "FAILED"
        checked = [check for check in self.all("SUCCESS") if check.id != SCHEMA_CHECK] + self.all("WARNING")
        return "passed" if checked else "skipped"


class RunnerFailed(Exception):
    """The runner left nothing to read; the text says what it printed."""


def version() -> str:
    """Return the version of the runner that is installed."""
    return str(json.loads((PACKAGE / "package.json").read_text())["version"])


def requirements(revision: str) -> dict[str, str | None]:
    """Return the names of the scenarios for servers, each with the reason why it is not scored, if it is not."""
    text = (PACKAGE / "requirements" / f"{revision}.yaml").read_text()
    scored = re.search(r"^server:\n((?:  - .*\n)+)", text, re.MULTILINE)
    assert scored, f"no scenarios for servers in the requirements of {revision}"
    unscored = re.findall(r"- scenario: (\S+)\n +leg: server\n +reason: (\S+)", text)
    return dict.fromkeys(re.findall(r"- (\S+)", scored[1])) | dict(unscored)


def run(url: str, revision: str) -> list[Scenario]:
    """Run all that a revision requires against the server at a URL, which must be on this machine.

    Raises:
        RunnerFailed: it left nothing to read.
    """
    with tempfile.TemporaryDirectory(prefix="mcp-conformance-") as folder:
        command = ["node", str(PACKAGE / "dist/index.js"), "server", "--url", url, "--requirements", revision]
        done = subprocess.run(
            [*command, "-o", folder], capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
        )
        found = read(Path(folder))
    if not found:
        raise RunnerFailed(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return scenarios(revision, requirements(revision), found)


def scenarios(
    revision: str, required: Mapping[str, str | None], found: Mapping[str, tuple[Check, ...]]
) -> list[Scenario]:
    """Put what was found beside what was required: what was required and not found has failed."""
    nothing = (Check(id="*", status="FAILURE", message="the runner left no result"),)
    return [
        Scenario(revision=revision, name=name, unscored=required.get(name), checks=found.get(name, nothing))
        for name in dict.fromkeys([*required, *found])
    ]


def read(folder: Path) -> dict[str, tuple[Check, ...]]:
    """Read what the runner wrote: a folder a scenario, named `server-<scenario>-<time>`."""
    found = {}
    for file in sorted(folder.glob("server-*/checks.json")):
        name = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name)
        assert name, f"an unknown kind of folder: {file.parent.name}"
        found[name[1]] = tuple(_check(each) for each in json.loads(file.read_text()))
    return found


def _check(written: Mapping[str, Any]) -> Check:
    message = written.get("errorMessage") or (written.get("details") or {}).get("note", "")
    return Check(id=written["id"], status=written["status"], message=message)
