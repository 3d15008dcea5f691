"""Compares what was installed with what its wheels say of themselves: an installer's cache may have been changed."""

import base64
import csv
import hashlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

BY_THE_INSTALLER: Final = frozenset({"INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_cache.json"})
"""What installers write beside the files of a wheel, and cannot be in its list with a hash."""


def changed(folder: Path) -> list[str]:
    """Return the files in a folder that no wheel's list has, or has with another hash, and those that are missing."""
    listed = _listed(folder)
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    there = {name for name in found if _is_kept(name)}
    wrong = {name for name in there & listed.keys() if _digest(found[name]) not in listed[name].values()}
    return sorted(wrong | there ^ listed.keys())


def shared(folder: Path) -> dict[str, list[str]]:
    """Return the files that several wheels have, each with another content, and these wheels."""
    return {name: sorted(wheels) for name, wheels in _listed(folder).items() if len({*wheels.values()}) > 1}


def _listed(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the hash of each file, by the wheels that have it."""
    listed: dict[str, dict[str, str]] = defaultdict(dict)
    for record in sorted(folder.glob("*.dist-info/RECORD")):
        with record.open(newline="") as rows:
            for name, digest, *_ in csv.reader(rows):
                if _is_kept(name):
                    listed[name][record.parent.name.removesuffix(".dist-info")] = digest
    return listed


def _is_kept(name: str) -> bool:
    # Commands are not deployed.
    place, _, file = name.rpartition("/")
    return not (name.startswith(("..", "bin/")) or (place.endswith(".dist-info") and file in BY_THE_INSTALLER))


def _digest(file: Path) -> str:
    digest = hashlib.sha256(file.read_bytes()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
