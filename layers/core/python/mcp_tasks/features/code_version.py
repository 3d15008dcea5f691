"""The version of a tool's code, which is kept with each of its tasks."""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_tasks.features.definition import check_texts
from mcp_tasks.limits.tools import MAX_VERSION_CHARACTERS

DIGEST_CHARACTERS = 12


def digest_of(function: Callable[..., Any]) -> str | None:
    """Return a digest of the source of the module that defines a function, or None where that is in no file.

    It is of the whole module, since a tool calls what stands beside it.  Bytecode would not do: that of the Python
    which builds is another than that of the Python which runs, while sources are bundled as they are.
    """
    module = sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    try:
        source = Path(file or "").read_bytes()
    except OSError:
        return None
    return hashlib.sha256(source).hexdigest()[:DIGEST_CHARACTERS]


def check_version(tool: str, version: object) -> None:
    """Raise `TypeError` or `ValueError` for what cannot be kept with a task, and shown beside another version."""
    check_texts(tool, version=version)
    if len(str(version)) > MAX_VERSION_CHARACTERS:
        raise ValueError(f"{tool}: a version has {MAX_VERSION_CHARACTERS} characters at most")
