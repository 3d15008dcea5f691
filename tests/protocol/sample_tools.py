"""Sample tools of the protocol tests: one of each kind that clients can distinguish."""

from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks import Context, McpError, ToolError, tool

REJECTION = McpError(1969, "The moon is closed.", {"opens": "tomorrow"})


@tool(tasks="never", title="Greeting")
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}!"


@dataclass(frozen=True)
class Sum:
    total: int


@tool(poll_interval=timedelta(seconds=2), annotations={"readOnlyHint": True})
def add(numbers: list[int]) -> Sum:
    """Add numbers up."""
    return Sum(sum(numbers))


@tool(
    tasks="always", timeout=timedelta(minutes=5), ttl=timedelta(hours=2), immediate_response="I am thinking about it."
)
def ponder(question: str) -> str:
    """Think about something for long."""
    return f"It depends: {question}"


@tool(tasks="never")
def climb(context: Context, steps: list[float]) -> str:
    """Report each step, at once."""
    for step in steps:
        context.report_progress(step, 100, f"step {step:g}")
    return "up"


@tool()
def hike(context: Context, steps: list[float]) -> str:
    """Report each step, and perhaps take long."""
    for step in steps:
        context.report_progress(step, 100, f"step {step:g}")
    return "there"


@tool()
def stumble() -> str:
    """Fail, and say why."""
    raise ToolError("The stone was in the way.")


@tool()
def refuse() -> str:
    """Reject the call itself."""
    raise REJECTION


@tool(tasks="always", machine="sleep")
def sleep(seconds: int) -> str:
    """Wait, with a machine of its own."""
    return f"{seconds} s later"


TOOLS = [greet, add, ponder, climb, hike, stumble, refuse, sleep]
