"""Installs a layer's locked requirements, as wheels for Lambda's Python and processor."""

import re
import shutil
import subprocess
import sys
from os.path import relpath
from pathlib import Path
from tempfile import TemporaryDirectory

from uv import find_uv_bin

from .records import changed, shared

# Certificates are the system's, among which a company's own are; and never another Python than this one.
UV = [find_uv_bin(), "--quiet", "--system-certs", "--no-python-downloads", "pip"]

# Lambda's Python 3.13 runs on Amazon Linux 2023, whose glibc is 2.34: wheels for it and for every older one will do.
FOR_LAMBDA = ["--python-platform=aarch64-manylinux_2_34", "--python-version=3.13", "--only-binary=:all:"]
LOCK = "`make lock` (in an app of your own, `uv pip compile --universal --generate-hashes`)"
"""What to run where a lock is not complete."""

INSTALL = [*UV, "install", f"--python={sys.executable}", *FOR_LAMBDA, "--require-hashes", "--link-mode=copy"]


def unlocked(layer: Path) -> list[str]:
    """Return what a layer's requirements name and its lock does not, and what that has without a hash."""
    locked = requirements(layer / "requirements.txt")
    lacking = requirements(layer / "requirements.in").keys() - locked.keys()
    return sorted(lacking | {name for name, rest in locked.items() if "--hash=sha256:" not in rest})


def requirements(file: Path) -> dict[str, str]:
    """Return what follows the name of each package in a file, by its name in one spelling; there need be no file."""
    text = file.read_text().replace("\\\n", " ") if file.exists() else ""
    lines = re.findall(r"^([A-Za-z0-9][\w.-]*)(.*)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): rest for name, rest in lines}


def check(lock: Path, *, without: Path | None = None) -> None:
    """Find out whether a lock, together with the lock `without`, has all that Lambda needs, as wheels it can load.

    Raises:
        SystemExit: It has not.
    """
    beside = [f"--requirements={without}"] if without else []
    with TemporaryDirectory() as empty:
        _run(lock, "--dry-run", f"--target={empty}", *beside)


def install(lock: Path, target: Path, *, without: Path | None = None) -> None:
    """Install what a lock lists, less what the lock `without` has, which another layer installs.

    Raises:
        SystemExit: The lock lacks something that a package in it requires, the two locks disagree, Lambda could not
            load a package, or a file is not what its wheel says.
    """
    if without:
        # What is excluded is not resolved, so that nobody would notice where the two disagree.
        check(lock, without=without)
    with TemporaryDirectory() as alone:
        _run(lock, f"--target={alone}", *([f"--excludes={without}"] if without else []))
        shutil.rmtree(f"{alone}/bin", ignore_errors=True)
        Path(alone, ".lock").unlink(missing_ok=True)
        if wrong := changed(Path(alone)):
            raise SystemExit(
                f"{relpath(lock)}: what was installed is not what is in the wheels, {', '.join(wrong[:5])}: "
                "somebody or something changed uv's cache, which `uv cache clean` empties."
            )
        for name, wheels in shared(Path(alone)).items():
            both = " and ".join(wheels)
            sys.stderr.write(f"{relpath(lock)}: {both} have another {name} each: one is deployed.\n")
        shutil.copytree(alone, target, dirs_exist_ok=True)


def _run(lock: Path, *options: str) -> None:
    done = subprocess.run(
        [*INSTALL, f"--requirements={lock}", *options], check=False, stderr=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(
            f"{relpath(lock)} cannot be installed for Lambda's Python 3.13 on arm64:\n\n{done.stderr}\n"
            f"{LOCK} adds what it lacks; for a package that has no wheel, write another version in requirements.in."
        )
