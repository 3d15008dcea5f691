"""The committed counts, and by how much others may differ from them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "counts.json"

TOLERATED = {
    # Another machine, and what else runs on it.
    "cpu_ms": (0.6, 5),
    "held_seconds": (0.1, 1),
    # Ids and times are longer and shorter.
    "bytes": (0.1, 60),
    # Who waits looks each half second, more or less, and a poll comes before the end or after it.
    "counts / wait": (0.15, 3),
    "counts / polled": (0.15, 3),
    "counts / listening": (0.15, 3),
    "counts / watching": (0.15, 3),
    "counts / inline wait": (0.15, 3),
    # Which task was started first, and at which of its tenant's counters each is.
    "counts / queued": (0.15, 3),
    # A process reads plans and keys again each half minute, and Lambda joins records of the stream that are close.
    "read_units": (0, 2),
    "dynamodb.GetItem": (0, 2),
    "dynamodb.Query": (0, 1),
    "invocations": (0, 1),
    "log_lines": (0, 1),
}
"""By which share, and by how much beside that, numbers of a kind may differ; all others are the same each time."""


def read() -> Mapping[str, Any]:
    """Return the committed counts."""
    counts: Mapping[str, Any] = json.loads(FILE.read_text())
    return counts


def keep(counts: Mapping[str, Any]) -> None:
    """Write counts to be committed."""
    FILE.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")


def differences(committed: Mapping[str, Any], counted: Mapping[str, Any]) -> list[str]:
    """Return a line for each number that differs by more than its kind may."""
    before, after = dict(_leaves(committed)), dict(_leaves(counted))
    return [
        f"{name}: {before.get(name, 0)} is committed, {after.get(name, 0)} was counted"
        for name in sorted({*before, *after})
        if not _alike(name, before.get(name, 0), after.get(name, 0))
    ]


def _leaves(counted: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(counted, Mapping):
        for each, value in counted.items():
            yield from _leaves(value, f"{name} / {each}" if name else each)
    else:
        yield name, counted


def _alike(name: str, before: Any, after: Any) -> bool:
    if not (isinstance(before, int | float) and isinstance(after, int | float)):
        return bool(before == after)
    kind = name.rpartition(" / ")[2]
    share, more = next((value for each, value in TOLERATED.items() if each in kind or name.startswith(each)), (0, 0))
    return abs(before - after) <= more + share * max(abs(before), abs(after))
