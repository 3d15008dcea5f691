"""Features that need OAuth scopes."""

from mcp_tasks import Context, Form, prompt, resource, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.security.scopes import StageScopes

STAGE = StageScopes(call=["call"], read=["read"], cancel=["cancel"], answer=["answer"])
ALL = frozenset({"call", "read", "cancel", "answer", "pay", "approve", "books", "books:2026", "books:20%2027", "draft"})


class Consent(Form):
    ok: bool


@tool(tasks="never", scopes=["pay", "approve"])
def transfer(amount: int) -> str:
    """Transfer an amount."""
    return f"{amount} transferred"


@tool(scopes=["pay"])
def settle(context: Context) -> str:
    """Settle what the user agrees to."""
    return f"settled: {type(context.elicit('Settle it?', Consent, key='consent')).__name__}"


@tool(tasks="never")
def greet() -> str:
    """Greet."""
    return "Hello"


@resource("books://{year}", scopes=["books", "books:{year}"], subscribable=True)
def books(year: str) -> str:
    """Return the books of a year."""
    return f"the books of {year}"


@resource("rules://all", subscribable=True)
def rules() -> str:
    """Return the rules."""
    return "the rules"


@prompt(scopes=["draft"])
def draft(about: str = "") -> str:
    """Draft something."""
    return f"Draft something about {about or 'anything'}."


SCOPED = Features.of([transfer, settle, greet], [draft], [books, rules])
