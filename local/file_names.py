"""Names of files for the parts of object keys, which subjects choose, on file systems of any kind."""

import re
from hashlib import sha256
from typing import Final

PLAIN: Final = re.compile(r"(?:[a-z0-9_#=.-]|%[0-9A-F]{2}){1,150}(?<!\.)", re.ASCII)
"""No two such names differ in case alone: the letters of an escape are the only capitals, and are always capitals."""
RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))}
"""Names of devices on Windows, also before a dot."""


def file_name(part: str) -> str:
    """Return a part of a key where it can be the name of a file anywhere, and otherwise `~` and its SHA-256.

    No plain name has a `~`, so that different parts have different names.
    """
    if PLAIN.fullmatch(part) and part.partition(".")[0] not in RESERVED:
        return part
    return f"~{sha256(part.encode()).hexdigest()}"
