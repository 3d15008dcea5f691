"""Tools that always or sometimes run as tasks."""

import time
from datetime import timedelta

from mcp_tasks import Accepted, Context, Elicit, Form, McpError, ToolError, tool

TTL = timedelta(minutes=15)


class Confirmation(Form):
    confirm: bool


class Both(Form):
    name: str
    confirm: bool


class Name(Form):
    name: str


@tool(tasks="never")
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}!"


@tool(tasks="allowed", ttl=TTL, inline_wait=timedelta(seconds=20))
def slow_compute(seconds: float, label: str) -> str:
    """Take a while, and notice soon if nobody waits any more."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 0.1))
    return f"Computed {label} for {seconds:g} s"


@tool(tasks="always", ttl=TTL)
def failing_job() -> str:
    """Fail after a second."""
    time.sleep(1)
    raise ToolError("This job always fails")


@tool(tasks="always", ttl=TTL)
def protocol_error_job() -> str:
    """Fail as a request does."""
    raise McpError(-32603, "The job broke the protocol")


@tool(tasks="always", ttl=TTL)
def confirm_delete(context: Context, filename: str) -> str:
    """Ask before deleting."""
    answer = context.elicit(f"Delete {filename}?", Confirmation, key="confirm")
    if isinstance(answer, Accepted) and answer.value.confirm:
        return f"Deleted '{filename}'"
    return f"Kept '{filename}'"


@tool(tasks="always", ttl=TTL)
def multi_input(context: Context) -> str:
    """Ask two things at once."""
    first, second = context.gather(Elicit("First?", Both, key="first"), Elicit("Second?", Both, key="second"))
    return f"Got {first} and {second}"


@tool(tasks="always", starts_inline=True, ttl=TTL)
def test_tool_with_task(context: Context) -> str:
    """Ask before there is a task, then be one."""
    answer = context.elicit("What is your name?", Name, key="user_name")
    context.continue_as_task()
    return f"Hello, {answer.value.name if isinstance(answer, Accepted) else 'stranger'}!"


@tool(tasks="always", ttl=TTL)
def external_job(job_id: str) -> str:
    """Finish after a second."""
    time.sleep(1)
    return f"Job {job_id} finished"


@tool(tasks="always", ttl=TTL)
def write_haiku(context: Context, topic: str) -> str:
    """Have the client's model write."""
    return f"Haiku about {topic}: {context.sample(f'Write a haiku about {topic}', max_tokens=100).text}"


TOOLS = [
    greet,
    slow_compute,
    failing_job,
    protocol_error_job,
    confirm_delete,
    multi_input,
    test_tool_with_task,
    external_job,
    write_haiku,
]
