"""Compares what was installed with what its wheels say of themselves: an installer's cache may have been changed."""

import base64
import csv
import hashlib
from pathlib import Path
from typing import Final

BY_THE_INSTALLER: Final = frozenset({"INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_cache.json"})
"""What installers write beside the files of a wheel, and cannot be in its list with a hash."""


def changed(folder: Path) -> list[str]:
    """Return the files in a folder that no wheel's list has, or has with another hash, and those that are missing."""
    listed: dict[str, str] = {}
    for record in sorted(folder.glob("*.dist-info/RECORD")):
        with record.open(newline="") as rows:
            listed |= {name: digest for name, digest, *_ in csv.reader(rows) if _is_kept(name)}
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    there = {name for name in found if _is_kept(name)}
    wrong = {name for name in there & listed.keys() if listed[name] != _digest(found[name])}
    return sorted(wrong | there ^ listed.keys())


def _is_kept(name: str) -> bool:
    # Commands are not deployed.
    place, _, file = name.rpartition("/")
    return not (name.startswith(("..", "bin/")) or (place.endswith(".dist-info") and file in BY_THE_INSTALLER))


def _digest(file: Path) -> str:
    digest = hashlib.sha256(file.read_bytes()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
