"""`make lock`: resolves what tools require, and locks it by version and by the hashes of all files.

`make lock-all` does so with everything that is installed on this machine, and with the layer of the core.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.bytecode.wheels import UV, check

ENVIRONMENTS = Path("local/requirements")
DEV = ENVIRONMENTS / "dev.lock"
CORE = Path("layers/core")
TOOLS = Path("layers/tools")

# One lock is for every platform and every Python that this runs on.  Without `fewest`, what is tested under an older
# Python could be another version than what is deployed.
UNIVERSAL = ["--universal", "--python-version=3.11", "--fork-strategy=fewest", "--generate-hashes"]

# Tools are imported in .venv too, so that a package has one version here and on Lambda.
FOR_A_LAYER = [f"--constraints={DEV}", "--only-binary=:all:"]

# A name with what may follow it, a comment, or nothing.
REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*\s*([\[(<>=!~;@#].*)?|#.*)?$")


def lock(wanted: Path, locked: Path, options: Sequence[str] = ()) -> None:
    """Write the lock of a file of requirements, with the versions that it had where these still do.

    Raises:
        SystemExit: The requirements cannot be resolved; uv has printed why.
    """
    with TemporaryDirectory() as folder:
        draft = Path(folder, "draft")
        # uv keeps the hashes of a version that it keeps, and those may be of one platform alone.
        draft.write_text(re.sub(r"\s*\\?\s*--hash=\S+", "", locked.read_text()) if locked.exists() else "")
        compiling = [
            *UV,
            "compile",
            *UNIVERSAL,
            "--custom-compile-command=make lock",
            f"--output-file={draft}",
            *options,
        ]
        if subprocess.run([*compiling, str(wanted)], check=False, stdout=subprocess.DEVNULL).returncode:
            here = f"{DEV} has versions that hold for tools too, and " if FOR_A_LAYER[0] in options else ""
            raise SystemExit(f"{wanted} cannot be resolved, for the reason above: {here}{locked} is unchanged.")
        locked.write_text(draft.read_text())


def lock_layer(folder: Path, *, without: Path | None = None, options: Sequence[str] = FOR_A_LAYER) -> None:
    """Lock a layer's requirements, if Lambda could load them; raises `SystemExit`."""
    wanted, locked = folder / "requirements.in", folder / "requirements.txt"
    if not wanted.exists():
        raise SystemExit(f"There is no {wanted}: write in it the packages that your tools import, a name on each line.")
    refuse_unlockable(wanted)
    before = locked.read_text() if locked.exists() else None
    lock(wanted, locked, options)
    try:
        check(locked, without=without)
    except SystemExit as error:
        locked.unlink() if before is None else locked.write_text(before)
        raise SystemExit(f"{error}\n{locked} is as it was.") from None
    print(f"{locked} is locked")


def refuse_unlockable(wanted: Path) -> None:
    """Refuse requirements that have no hash, or settings of pip's, which would be in no lock; raises `SystemExit`."""
    for line in wanted.read_text().splitlines():
        if not REQUIREMENT.match(line) or "@ git+" in line:
            raise SystemExit(
                f"{wanted}: {line!r} is no package of an index, such as 'httpx' or 'httpx>=0.28', and only those have "
                "hashes to be locked. Code of your own belongs beside your tools, in python/; an index of your own is "
                "named in the environment (UV_INDEX or UV_DEFAULT_INDEX), for every command that installs."
            )


def main(*, everything: bool) -> None:
    """Lock the layer of the tools, or everything."""
    if everything:
        lock(Path("requirements.txt"), DEV)
        for wanted in sorted(ENVIRONMENTS.glob("*.txt")):
            lock(wanted, wanted.with_suffix(".lock"))
        print(f"{ENVIRONMENTS} is locked")
        lock_layer(CORE)
    if not everything or (TOOLS / "requirements.in").exists():
        lock_layer(TOOLS, without=CORE / "requirements.txt")


if __name__ == "__main__":
    main(everything="--all" in sys.argv)
