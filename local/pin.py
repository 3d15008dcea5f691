"""`make pin`: what the layers require, completed and pinned to the byte.

A requirements.txt of a layer lists names, or names and versions.  This resolves them for Lambda, and writes the file
anew with everything that has to be installed: version and hash of each wheel.  What the core has is left out of the
tools' list, and its versions bind the tools.  What depends on the operating system is resolved for the one it runs on.
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
    """Return what a file asks for, without hashes: they are about to be found anew."""
    return re.sub(r"\s*\\?\s*--hash=\S+", "", requirements.read_text())


def resolved(listed: str, constraints: str = "", options: Sequence[str] = ()) -> dict[str, str]:
    """Return a pinned line for each wheel that Lambda needs, by its normalised name; `options` are pip's."""
    with TemporaryDirectory() as folder:
        asked, bound = Path(folder, "requirements.txt"), Path(folder, "constraints.txt")
        asked.write_text(listed)
        bound.write_text(constraints)
        dry = ["--dry-run", "--ignore-installed", "--report=-", f"--target={folder}", f"-r{asked}", f"-c{bound}"]
        done = subprocess.run([*PIP, *FOR_LAMBDA, *dry, *options], check=True, stdout=subprocess.PIPE, text=True)
    lines: dict[str, str] = {}
    for wheel in json.loads(done.stdout)["install"]:
        name, version = wheel["metadata"]["name"], wheel["metadata"]["version"]
        digest = wheel["download_info"]["archive_info"]["hashes"]["sha256"]
        lines[_normal(name)] = f"{name}=={version} --hash=sha256:{digest}"
    return lines


def write(requirements: Path, lines: dict[str, str]) -> None:
    """Write the pins in order, below the comments that were there."""
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
