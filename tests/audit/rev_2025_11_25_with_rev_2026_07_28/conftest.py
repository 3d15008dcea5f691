"""The server that protocol tests ask in both revisions."""

from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.conftest import harness as harness
