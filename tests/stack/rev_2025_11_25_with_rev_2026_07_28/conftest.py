"""The fixtures of the callers of both revisions, for the tests in this folder."""

from tests.stack.rev_2025_11_25.fixtures import ada as ada
from tests.stack.rev_2026_07_28.fixtures import client_2026 as client_2026
