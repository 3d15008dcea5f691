"""Tools that test the harness: they wait, ask, keep steps, and crash when a test says so."""

import asyncio
import time
from datetime import timedelta
from functools import partial

from mcp_tasks import Accepted, Context, Form, InputRequestFailed, McpError, NoAnswer, prompt, resource, tool


class Approval(Form):
    approved: bool


@tool(tasks="never")
def greet(name: str) -> str:
    """Answer at once."""
    return f"Hello, {name}!"


@tool()
def count_words(context: Context, text: str) -> str:
    """Keep two steps, one after the other."""
    words = context.step("split", text.split)
    context.report_progress(1, 2, "split")
    return f"{context.step('count', lambda: len(words))} words in attempt {context.attempt}"


@tool(timeout=timedelta(minutes=5))
def publish(context: Context, title: str) -> str:
    """Ask, and wait for an hour."""
    draft = context.step("draft", lambda: f"a draft of {title}")
    answer = context.elicit(f"Publish {draft}?", Approval, key="approval", timeout=timedelta(hours=1), default=None)
    if answer is None:
        return "nobody answered"
    return "published" if isinstance(answer, Accepted) and answer.value.approved else "not published"


@tool()
def ask(context: Context) -> str:
    """Ask twice, and return what the client responds with."""
    try:
        said = context.sample("Say something.", max_tokens=9, timeout=timedelta(hours=1)).text
        return f"{said}, {type(context.elicit('Publish it?', Approval)).__name__}"
    except (InputRequestFailed, NoAnswer) as error:
        return str(error)


@tool(tasks="always", timeout=timedelta(minutes=5))
def charge(context: Context, failures: int, retries: int = 3, seconds: int = 1) -> str:
    """Charge at a service that fails some times."""
    left = iter(range(failures))

    def attempt() -> str:
        if (number := next(left, None)) is not None:
            raise ConnectionError(f"failure {number}")
        return "charged"

    return context.step("charge", attempt, retries=retries, backoff=timedelta(seconds=seconds))


@tool(tasks="always", timeout=timedelta(minutes=5), ttl=timedelta(days=5))
def doze(context: Context, hours: list[float]) -> str:
    """Sleep some times, with a step after each."""
    for number, duration in enumerate(hours, start=1):
        context.report_status("asleep")
        context.sleep(timedelta(hours=duration))
        context.step(f"awake {number}", lambda: None)
    return "rested"


@tool(starts_inline=True)
def nap(context: Context) -> str:
    """Sleep within a call that may become a task."""
    price = context.step("price", lambda: 3)
    context.sleep(timedelta(hours=1))
    return f"slept for {price}"


@tool(tasks="never")
def insomnia(context: Context) -> str:
    """Sleep within a call that may not."""
    context.sleep(timedelta(seconds=1))
    return "slept"


async def later(value: str) -> str:
    await asyncio.sleep(0)
    return value


@tool(starts_inline=True)
async def confer(context: Context, topic: str) -> str:
    """Do all that a tool may, in coroutines."""
    async with asyncio.TaskGroup() as group:
        first = group.create_task(context.step_async("first", partial(later, "one")))
        second = group.create_task(context.step_async("second", partial(later, "two")))
    try:
        answer = context.elicit(f"Is it {topic}?", Approval, key="approval")
        context.continue_as_task()
        context.sleep(timedelta(hours=1))
    except Exception as error:  # noqa: BLE001  # what ends a run is none
        return f"caught {error!r}"
    return f"{first.result()}, {second.result()}, {type(answer).__name__}"


@tool(starts_inline=True)
async def survey(context: Context) -> str:
    """Ask twice at the same time, in coroutines whose errors are values."""

    async def asked(topic: str) -> str:
        return type(context.elicit(f"Is it {topic}?", Approval, key=topic)).__name__

    return str(await asyncio.gather(asked("late"), asked("dark"), return_exceptions=True))


@tool(tasks="never")
async def muse(topic: str) -> str:
    """Answer at once, in a coroutine."""
    return await later(f"{topic}!")


@prompt()
async def debate(topic: str, context: Context) -> str:
    """Begin a debate."""
    return await later(f"Argue about {topic}.")


@resource("note://{topic}")
async def note(topic: str) -> str:
    """Read a note."""
    return await later(f"a note on {topic}")


@tool(starts_inline=True)
def order(context: Context, item: str) -> str:
    """Record a step within the call, and one in the task that it becomes."""
    price = context.step("price", lambda: 3)
    context.continue_as_task()
    number = context.step("book", lambda: 7)
    return f"{item} for {price}, number {number}"


@tool(tasks="never")
def quote(context: Context, item: str) -> str:
    """Record a step within the call."""
    return f"{item} for {context.step('price', lambda: 3)}"


@tool(tasks="always", machine="after_a_while", timeout=timedelta(days=2), ttl=timedelta(days=4))
def remind(hours: int) -> str:
    """Wait in a state machine of its own."""
    return f"waited {hours} h"


@tool(timeout=timedelta(minutes=5))
def work_for(minutes: int) -> str:
    """Take a while."""
    time.sleep(minutes * 60)
    return f"worked for {minutes} minutes"


@tool()
def fail() -> str:
    """Raise what nobody expects."""
    raise ZeroDivisionError("by nought")


@tool()
def refuse() -> str:
    """End in an error of the protocol."""
    raise McpError(7, "out of stock", {"left": 0})


@tool(machine="squares", timeout=timedelta(hours=2))
def squares(context: Context, numbers: list[int]) -> str:
    """Add up what the state machine squared, once the user approved."""
    answer = context.elicit("Add up?", Approval, key="add")
    return str(sum(context.state_input)) if isinstance(answer, Accepted) else "nothing"


TOOLS = [
    greet,
    count_words,
    publish,
    ask,
    charge,
    doze,
    nap,
    insomnia,
    confer,
    survey,
    muse,
    order,
    quote,
    remind,
    squares,
    work_for,
    fail,
    refuse,
]
PROMPTS = [debate]
RESOURCES = [note]
