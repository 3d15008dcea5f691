"""Every row of every revision that is here, by its name, for tests to cite."""

from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from tests.protocol.rows import Requirement

HERE: Final = Path(__file__).parent

REVISIONS: Final = tuple(sorted(path.parent.name for path in HERE.glob("rev_*/requirements.py")))
"""The folders; each has rows of its own, in `requirements`."""

LETTERS: Final = {"A": "rev_2025_11_25", "B": "rev_2026_07_28"}
"""What a revision's rows begin with.  Those of a revision that is not here any more may still be cited."""

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
"""Rows about a revision that is not here, of which there is nothing to test."""


def is_here(row: str) -> bool:
    """Tell whether the revision that a row is of is here."""
    return LETTERS[row[0]] in REVISIONS


def requirement(*rows: str) -> pytest.MarkDecorator:
    """Say which rows a test is about."""
    unknown = [row for row in rows if row[0] not in LETTERS or (is_here(row) and row not in REQUIREMENTS)]
    if unknown or not rows:
        raise ValueError(f"no such rows: {unknown}")
    return pytest.mark.requirement(*rows)
