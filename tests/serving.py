"""`make serve` for as long as a test needs it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from local.emulator import PYTHON_PATH, ROOT

EXAMPLES = ("--tools", "examples", "--machines", "layers.examples.machines")


@contextmanager
def serving(*options: str, folder: Path | None = None) -> Iterator[Mapping[str, str]]:
    """Serve on a free port; gives what is printed, up to the URL, and ends as by Ctrl-C.

    Modules of tools can lie in `folder`.  The file `terminal` has what was written to standard error so far.
    """
    command = [sys.executable, "-m", "local", "serve", "--port", "0", *options]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([PYTHON_PATH, str(folder or ".")])}
    with (
        NamedTemporaryFile("r") as terminal,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=terminal, text=True
        ) as process,
    ):
        assert process.stdout
        printed = {"terminal": terminal.name}
        for line in process.stdout:
            name, _, value = line.strip().partition("=")
            printed[name] = value
            if name == "url":
                break
        try:
            yield printed
        finally:
            process.send_signal(signal.SIGINT)
            try:
                printed["output"], _ = process.communicate(timeout=10)
            finally:
                process.kill()
            printed["complaints"] = Path(terminal.name).read_text()
        assert process.returncode == 0
