"""The tools that both tenants call; a module of their own, which the functions on the emulator import."""

import time

from mcp_tasks import tool


@tool(tasks="always")
def work(seconds: float) -> float:
    """Work for some seconds, and return when that began: seconds since 1970."""
    began = time.time()
    time.sleep(seconds)
    return began


@tool(tasks="never")
def greet() -> str:
    """Greet."""
    return "Hello"


TOOLS = [work, greet]
