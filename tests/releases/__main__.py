"""Makes the folder of this release, or of the one before with that release's own code: `make release-fixture`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.checkout import ROOT, link_environments
from tests.no_account import NO_ACCOUNT
from tests.releases.items import HERE, RELEASE
from tests.template.releases import previous_release, unpack_previous

ADDED = ("__init__.py", "record.py", "tools.py", "rev_*/scenario.py")
"""What is added to the release before, which has no such folder."""


def main(of: str) -> None:
    """Make the folder of this release, or of the `previous` one."""
    if of != "previous":
        for file in [HERE / "items.py", *HERE.glob("rev_*/*_items.py")]:
            _run(ROOT, ".".join(file.relative_to(ROOT).with_suffix("").parts))
        _run(ROOT, "tests.releases.record", HERE / RELEASE)
        _run(ROOT, "tests.releases.messages")
        return
    tag, _ = previous_release()
    with TemporaryDirectory() as temporary:
        there = Path(temporary) / tag
        unpack_previous(there, lambda name: True)
        link_environments(there)
        for file in [each for pattern in ADDED for each in HERE.glob(pattern)]:
            to = there / file.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
        _run(there, "tests.releases.record", HERE / tag.removeprefix("v").rpartition(".")[0])


def _run(root: Path, module: str, *arguments: Path) -> None:
    path = os.pathsep.join([*(f"layers/{name}/python" for name in ("core", "tools", "examples")), "."])
    command = [sys.executable, "-m", module, *map(str, arguments)]
    subprocess.run(command, cwd=root, env=os.environ | NO_ACCOUNT | {"PYTHONPATH": path}, check=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
