"""What a layer requires, as wheels for Lambda's Python and processor."""

import shutil
import subprocess
import sys
from pathlib import Path

FOR_LAMBDA = [
    *("--platform", "manylinux2014_aarch64"),
    *("--implementation", "cp"),
    *("--python-version", "3.13"),
    *("--abi", "cp313"),
    "--only-binary=:all:",
]


def install(requirements: Path, target: Path) -> None:
    """Install exactly what is listed."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-compile",
    ]
    subprocess.run([*pip, *FOR_LAMBDA, "--target", str(target), "-r", str(requirements)], check=True)
    shutil.rmtree(target / "bin", ignore_errors=True)
