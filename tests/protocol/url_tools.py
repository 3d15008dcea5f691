"""Sample tools and a prompt that need URL elicitation before they can answer."""

from typing import Final

from mcp_tasks import Context, ElicitUrl, Message, UrlElicitationRequired, prompt, tool

SITE: Final = "https://mail.example/connect?e=el-1"
WHY: Final = "Connect your mailbox."
CONNECTED: Final = set[str]()
"""Whose mailbox is connected; each test begins with none."""


def connected(context: Context) -> None:
    """Send the user to the site, unless they were there."""
    if context.caller.owner_key not in CONNECTED:
        raise UrlElicitationRequired(WHY, ElicitUrl(WHY, SITE, elicitation_id="el-1"))


@tool(tasks="never")
def count_mail(context: Context) -> str:
    """Count what there is."""
    connected(context)
    return "3 letters"


@tool()
def sort_mail(context: Context) -> str:
    """Sort what there is, which may take long."""
    connected(context)
    return "sorted"


@tool()
def sign_in(context: Context) -> str:
    """Send the user to the site, and say when they are done there."""
    answer = context.elicit_url(WHY, SITE, key="site", elicitation_id="el-2")
    context.complete_elicitation("el-2")
    return type(answer).__name__


@tool(tasks="always", starts_inline=True)
def archive_mail(context: Context) -> str:
    """Archive what there is, as a task."""
    connected(context)
    context.continue_as_task()
    return "archived"


@tool(tasks="never")
def anywhere(context: Context) -> str:
    """Send the user to two sites, of which nobody has a name."""
    raise UrlElicitationRequired(WHY, *(ElicitUrl(WHY, f"https://{host}.example") for host in ("a", "b")))


@prompt()
def answer_mail(context: Context) -> list[Message]:
    """Answer a letter."""
    connected(context)
    return [Message("user", "Answer it.")]


TOOLS = [count_mail, sort_mail, sign_in, archive_mail, anywhere]
PROMPTS = [answer_mail]
