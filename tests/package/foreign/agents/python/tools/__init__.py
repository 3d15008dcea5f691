"""The tools of the agents."""

from mcp_tasks import Context, tool


@tool()
def count_words(text: str, context: Context) -> int:
    """Count the words of a text."""
    return context.step("count", lambda: len(text.split()))


@tool(machine="after_a_minute")
def count_later(text: str) -> int:
    """Count the words of a text after a minute."""
    return len(text.split())


TOOLS = [count_words, count_later]
