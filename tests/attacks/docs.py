"""What docs/security.md says of the attacks."""

from pathlib import Path
from typing import Final

PAGE: Final = " ".join((Path(__file__).parents[2] / "docs" / "security.md").read_text().split())


def says(words: str) -> bool:
    """Return whether the page has these words, however its lines are broken."""
    return words in PAGE
