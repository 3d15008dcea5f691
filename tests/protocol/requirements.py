"""Every row of every revision, by its name, for tests to cite."""

from importlib import import_module

import pytest

from tests.protocol.rows import Requirement

REVISIONS = ("rev_2025_11_25", "rev_2026_07_28")
"""The folders; each has rows of its own, in `requirements`."""

REQUIREMENTS: dict[str, Requirement] = {
    name: row
    for revision in REVISIONS
    for name, row in import_module(f"tests.protocol.{revision}.requirements").REQUIREMENTS.items()
}


def requirement(*rows: str) -> pytest.MarkDecorator:
    """Say which rows a test is about."""
    unknown = [row for row in rows if row not in REQUIREMENTS]
    if unknown or not rows:
        raise ValueError(f"no such rows: {unknown}")
    return pytest.mark.requirement(*rows)
