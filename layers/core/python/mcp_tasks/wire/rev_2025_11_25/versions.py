"""The versions of the protocol that are served as this revision."""

from typing import Final

NEWEST: Final = "2025-11-25"

VERSIONS: Final = (NEWEST, "2025-06-18", "2025-03-26")
"""The versions that `initialize` can agree on; only the newest has tasks and streams that can be resumed."""
