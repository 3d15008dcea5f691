"""`make pin`: resolves the layers' requirements for Lambda and pins each wheel by version and hash.

A requirements.txt of a layer lists names, or names and versions.  This rewrites the file with all wheels that have to
be installed.  Those of the core layer are omitted from the tools' file, and constrain its versions.  Environment
markers of the operating system are evaluated on the machine that runs this.
"""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.bytecode.wheels import FOR_LAMBDA, PIP

LAYERS = Path(__file__).resolve().parents[1] / "layers"


def wanted(requirements: Path) -> str:
    """Return a file's requirements without their hashes, which pip would check before they can be replaced."""
    return re.sub(r"\s*\\?\s*--hash=\S+", "", requirements.read_text())


def resolved(listed: str, constraints: str = "", options: Sequence[str] = ()) -> dict[str, str]:
    """Return the pinned line of each wheel that Lambda needs, by its normalised name; `options` go to pip."""
    with TemporaryDirectory() as folder:
        required, bounds = Path(folder, "requirements.txt"), Path(folder, "constraints.txt")
        required.write_text(listed)
        bounds.write_text(constraints)
        dry = ["--dry-run", "--ignore-installed", "--report=-", f"--target={folder}", f"-r{required}", f"-c{bounds}"]
        done = subprocess.run([*PIP, *FOR_LAMBDA, *dry, *options], check=True, stdout=subprocess.PIPE, text=True)
    lines: dict[str, str] = {}
    for wheel in json.loads(done.stdout)["install"]:
        name, version = wheel["metadata"]["name"], wheel["metadata"]["version"]
        digest = wheel["download_info"]["archive_info"]["hashes"]["sha256"]
        lines[_normal(name)] = f"{name}=={version} --hash=sha256:{digest}"
    return lines


def write(requirements: Path, lines: dict[str, str]) -> None:
    """Write the pinned lines in order, below the file's comments."""
    comments = [line for line in requirements.read_text().splitlines() if line.startswith("#")]
    requirements.write_text("\n".join([*comments, *(lines[name] for name in sorted(lines))]) + "\n")


def main() -> None:
    """Pin both layers."""
    core, tools = LAYERS / "core" / "requirements.txt", LAYERS / "tools" / "requirements.txt"
    write(core, resolved(wanted(core)))
    print(f"{core} is pinned")
    if tools.exists():
        bound = wanted(core)
        theirs = {_normal(line.split("==")[0]) for line in bound.split()}
        write(tools, {name: line for name, line in resolved(wanted(tools), bound).items() if name not in theirs})
        print(f"{tools} is pinned")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
