"""The requirements of all revisions that are here, by id, for tests to cite."""

from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from tests.protocol.rows import Requirement

HERE: Final = Path(__file__).parent

REVISIONS: Final = tuple(sorted(path.parent.name for path in HERE.glob("rev_*/requirements.py")))
"""The folders of revisions; each has a module `requirements`."""

LETTERS: Final = {"A": "rev_2025_11_25", "B": "rev_2026_07_28"}
"""The first letter of a revision's ids.  Ids of a revision that was deleted may still be cited."""

MODULES: Final = {revision: import_module(f"tests.protocol.{revision}.requirements") for revision in REVISIONS}

REQUIREMENTS: dict[str, Requirement] = {
    name: row for module in MODULES.values() for name, row in module.REQUIREMENTS.items()
}

WITHOUT_SUBJECT: Final = {
    name
    for module in MODULES.values()
    for name, other in getattr(module, "ABOUT_OTHERS", {}).items()
    if other not in REVISIONS
}
"""Rows about a revision that was deleted: there is nothing to test."""


def is_here(row: str) -> bool:
    """Return whether the revision that a row belongs to is here."""
    return LETTERS[row[0]] in REVISIONS


def requirement(*rows: str) -> pytest.MarkDecorator:
    """Mark a test with the ids of the requirements that it tests; raises `ValueError` for unknown ids."""
    unknown = [row for row in rows if row[0] not in LETTERS or (is_here(row) and row not in REQUIREMENTS)]
    if unknown or not rows:
        raise ValueError(f"no such rows: {unknown}")
    return pytest.mark.requirement(*rows)
