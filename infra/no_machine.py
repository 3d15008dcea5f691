"""The name that tools give in place of a state machine's, so that no file may have it."""

from typing import Final

# The `DIRECT_MACHINE` of mcp_tasks.
NAME: Final = "direct"
