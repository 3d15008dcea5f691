"""The synthesised app, for `make serve`: made when it is needed, and kept until a file changes that it is made of."""

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local.deploy import synthesise
from local.emulator import ROOT, aws_environment

KEPT = ROOT / ".local" / "machines"
MOST_KEPT = 5
NOWHERE = "http://127.0.0.1:9"
LEFT_OUT = {"__pycache__", "docs", "layers", "node_modules", "tests"}


def assembly(machines_module: str | None) -> Path:
    """Return the folder of the cloud assembly; raises `DeployFailed` if the app cannot be synthesised."""
    context: dict[str, Any] = {"local": "1", "aws:cdk:enable-path-metadata": True}
    if machines_module:
        context["machines_module"] = machines_module
    folder = KEPT / _digest(context)
    if folder.exists():
        return folder
    KEPT.mkdir(parents=True, exist_ok=True)
    # One that a process which was killed leaves behind is forgotten as the others are.
    draft = Path(tempfile.mkdtemp(dir=KEPT, prefix="draft-"))
    try:
        home, made = draft / "home", draft / "assembly"
        home.mkdir()
        synthesise(ROOT / "app.py", aws_environment(NOWHERE, home), context, made)
        _keep(made, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _forget_oldest()
    return folder


def _keep(made: Path, folder: Path) -> None:
    try:
        made.rename(folder)
    except OSError:
        # Another process may have made the same meanwhile.
        if not folder.exists():
            raise


def _digest(context: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps([context, sys.version]).encode())
    for path in sorted(_files(context)):
        digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(context: Mapping[str, Any]) -> Iterator[Path]:
    """Yield what the app may read: all files but those that only functions, tests and readers do."""
    folders = [ROOT, ROOT / "layers/core/python/mcp_tasks/limits"]
    spec = find_spec(context.get("machines_module", "infra.machines"))
    if spec:
        folders.extend(map(Path, spec.submodule_search_locations or ()))
    for folder in folders:
        for parent, inner, names in os.walk(folder):
            inner[:] = [name for name in inner if name not in LEFT_OUT and not name.startswith(".")]
            yield from (Path(parent, name) for name in names if not name.startswith("."))


def _forget_oldest() -> None:
    kept = sorted(KEPT.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in kept[MOST_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
