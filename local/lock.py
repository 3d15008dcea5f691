"""`make lock`: resolves what is installed here, and locks it by version and by the hashes of all files."""

import subprocess
from pathlib import Path

from uv import find_uv_bin

ENVIRONMENTS = Path("local/requirements")

# One lock is for every platform and every Python that this runs on.  Without `fewest`, what is tested under an older
# Python could be another version than what is deployed.
UNIVERSAL = ["--universal", "--python-version=3.11", "--fork-strategy=fewest", "--generate-hashes"]

# Certificates as pip takes them: a company's own are in the system's store.
UV = [find_uv_bin(), "--system-certs", "--quiet"]


def lock(wanted: Path, locked: Path) -> None:
    """Write the lock of a file of requirements, with the versions that it had where these still do.

    Raises:
        SystemExit: The requirements cannot be resolved; uv has printed why.
    """
    compiling = [*UV, "pip", "compile", *UNIVERSAL, "--custom-compile-command=make lock", f"--output-file={locked}"]
    if subprocess.run([*compiling, str(wanted)], check=False).returncode:
        raise SystemExit(f"{wanted} cannot be resolved, for the reason above: {locked} is unchanged.")
    print(f"{locked} is locked")


def main() -> None:
    """Lock every environment."""
    lock(Path("requirements.txt"), ENVIRONMENTS / "dev.lock")
    for wanted in sorted(ENVIRONMENTS.glob("*.txt")):
        lock(wanted, wanted.with_suffix(".lock"))


if __name__ == "__main__":
    main()
