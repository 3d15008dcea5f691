"""The fixtures of the callers, for the tests in this folder."""

from tests.stack.rev_2026_07_28.fixtures import client_2026 as client_2026
