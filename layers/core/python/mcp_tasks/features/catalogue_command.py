"""`python -m mcp_tasks.features.catalogue`: prints the catalogue alone, whatever the modules of tools print or lack."""

import os
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

from mcp_tasks.features.import_advice import advice
from mcp_tasks.features.machines import MissingMachine

SOME_REGION = "us-east-1"


def print_catalogue(write: Callable[[str], str], module: str) -> None:
    """Print what `write` returns for a module of tools; exits with a sentence where the module cannot be imported."""
    # Also what C code, a process that the tools start, or a handler at exit prints goes to stderr.
    printed = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = Attributed(sys.stderr, module.partition(".")[0])
    # A client that is made here calls nothing: where it runs, Lambda says which region that is.
    os.environ.setdefault("AWS_DEFAULT_REGION", os.environ.get("CDK_DEFAULT_REGION") or SOME_REGION)
    try:
        catalogue = write(module)
    except MissingMachine as error:
        sys.exit(str(error))
    except Exception as error:  # noqa: BLE001  # an adopter's module may raise anything
        traceback.print_exception(error)
        sys.exit(advice(error) or 1)
    with printed:
        printed.write(catalogue)


class Attributed:
    """A standard stream that writes to another one, each text after the name of the module that printed it."""

    def __init__(self, stream: TextIO, package: str) -> None:
        """Write to a stream; a module is named if it is of a package."""
        self._stream = stream
        self._package = package
        self._is_new_line = True

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, with the module that printed it in front of each line."""
        for line in text.splitlines(keepends=True):
            start = f"{_module(sys._getframe(), self._package)} prints when it is imported: "
            self._stream.write(f"{start if self._is_new_line else ''}{line}")
            self._is_new_line = line.endswith("\n")
        return len(text)


def _module(frame: FrameType | None, package: str) -> str:
    # A handler at exit has no frame of its own.
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.partition(".")[0] == package:
            return name
        frame = frame.f_back
    return package
