"""The arguments of prompts, as prompts/list shows them."""

from mcp_tasks.records import record


@record
class Argument:
    """An argument of a prompt, which a user fills in; its value is always text."""

    name: str
    description: str | None = None
    required: bool = True
