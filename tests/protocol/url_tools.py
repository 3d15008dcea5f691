"""Sample tools and a prompt that need URL elicitation before they can answer."""

from typing import Final

from mcp_tasks import Context, ElicitUrl, Message, UrlElicitationRequired, prompt, tool

SITE: Final = "https://mail.example/connect?e=el-1"
WHY: Final = "Connect your mailbox."
CONNECTED: Final = set[str]()
"""The owner keys of the callers whose mailbox is connected; each test begins with none."""


def connected(context: Context) -> None:
    """Require a URL elicitation, unless the caller's mailbox is connected."""
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
    """Elicit a URL, and report its completion."""
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
    """Require two URL elicitations, without ids."""
    raise UrlElicitationRequired(WHY, *(ElicitUrl(WHY, f"https://{host}.example") for host in ("a", "b")))


@prompt()
def answer_mail(context: Context) -> list[Message]:
    """Answer a letter."""
    connected(context)
    return [Message("user", "Answer it.")]


TOOLS = [count_mail, sort_mail, sign_in, archive_mail, anywhere]
PROMPTS = [answer_mail]
