"""What the clients call: the conformance tools, and one that hands over after a second."""

import time
from datetime import timedelta

from mcp_tasks import tool
from tests.conformance import PROMPTS, RESOURCES
from tests.conformance import TOOLS as CONFORMANCE

__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]


@tool(inline_wait=timedelta(seconds=1))
def dawdle(seconds: float) -> str:
    """Take longer than its caller is made to wait."""
    time.sleep(seconds)
    return f"Dawdled for {seconds:g} s"


TOOLS = [*CONFORMANCE, dawdle]
