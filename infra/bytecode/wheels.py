"""Installs a layer's requirements, as wheels for Lambda's Python and processor."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# Lambda's Python 3.13 runs on Amazon Linux 2023, whose glibc is 2.34: wheels for it and for every older one will do.
# pip takes each platform literally, so all of them are named.  2.17, whose old name is manylinux2014, was the first for
# this processor.
NEWEST_GLIBC = 34
OLDEST_GLIBC = 17
PLATFORMS = [
    *(f"manylinux_2_{minor}_aarch64" for minor in range(NEWEST_GLIBC, OLDEST_GLIBC - 1, -1)),
    "manylinux2014_aarch64",
]
FOR_LAMBDA = [
    *(f"--platform={platform}" for platform in PLATFORMS),
    "--implementation=cp",
    "--python-version=3.13",
    "--abi=cp313",
    "--only-binary=:all:",
]
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def unhashed(requirements: Path) -> list[str]:
    """Return the requirements without a hash, whose files a package index could replace."""
    lines = re.sub(r"\\\n", " ", requirements.read_text()).splitlines()
    listed = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return [line.split()[0] for line in listed if "--hash=sha256:" not in line]


def install(requirements: Path, target: Path) -> None:
    """Install exactly the listed wheels, checked by their hashes, without what they require in turn."""
    exactly = ["--no-deps", "--require-hashes", "--no-compile", "--target", str(target), "-r", str(requirements)]
    subprocess.run([*PIP, *FOR_LAMBDA, *exactly], check=True)
    shutil.rmtree(target / "bin", ignore_errors=True)
