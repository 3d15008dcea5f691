"""Sample tools whose tasks come to every state, and prompts and resources on more than one page.

Those that become tasks allow no time for an immediate result, so that they do in every revision.
"""

from datetime import timedelta

from mcp_tasks import Context, Form, ToolError, prompt, resource, subject, tool
from tests.attacks.identities import OWNER


class Name(Form):
    """A form."""

    name: str


@tool(handle_after=timedelta())
def add(numbers: list[int]) -> str:
    """Add up."""
    return str(sum(numbers))


@tool(handle_after=timedelta())
def fail() -> str:
    """Fail."""
    raise ToolError("as it should")


@tool(handle_after=timedelta(), ttl=timedelta(minutes=10), timeout=timedelta(minutes=1))
def forget() -> str:
    """Return what is not kept for long."""
    return "soon forgotten"


@tool(handle_after=timedelta(), timeout=timedelta(minutes=5), ttl=timedelta(days=5))
def rest(context: Context) -> str:
    """Take a day."""
    context.sleep(timedelta(days=1))
    return "rested"


@tool(handle_after=timedelta())
def ask(context: Context) -> str:
    """Ask within a task."""
    return type(context.elicit("Who are you?", Name, key="name")).__name__


@tool(tasks="never")
def ask_first(context: Context) -> str:
    """Ask within a call."""
    return type(context.elicit("Who are you?", Name, key="name")).__name__


@tool(join_within=timedelta(hours=1), inline_wait=timedelta())
def share(what: str) -> str:
    """Join the task of an earlier call."""
    return what


@resource("note://{name}", subscribable=True)
def note(name: str) -> str:
    """Show a note."""
    return name


@resource("letter://{name}")
def letter(name: str) -> str:
    """Show a letter."""
    return name


@resource("photo://{name}")
def photo(name: str) -> str:
    """Describe a photo."""
    return name


@prompt()
def greet() -> str:
    """Greet somebody."""
    return "Say hello."


@prompt()
def part() -> str:
    """Take leave."""
    return "Say goodbye."


@prompt()
def introduce(context: Context) -> str:
    """Ask within a prompt."""
    return type(context.elicit("Who are you?", Name, key="name")).__name__


@tool(handle_after=timedelta(), approvals=True)
def ask_owner(context: Context) -> str:
    """Ask one subject, by whatever client, which here is the owner."""
    return type(context.elicit("Is it you?", Name, key="owner", of=subject(OWNER.subject))).__name__


TOOLS = [add, fail, forget, rest, ask, ask_first, share, ask_owner]
PROMPTS = [greet, part, introduce]
RESOURCES = [note, letter, photo]
