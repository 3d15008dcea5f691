"""The fixtures of the callers, for the tests in this folder."""

from tests.stack.rev_2025_11_25.fixtures import ada as ada
