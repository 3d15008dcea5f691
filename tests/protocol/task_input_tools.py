"""Sample tools that request input within a task, which is suspended meanwhile."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from mcp_tasks import (
    Accepted,
    Context,
    Declined,
    Elicit,
    Form,
    InputRequestFailed,
    ListRoots,
    MissingCapability,
    Sample,
    tool,
)
from tests.protocol.call_input_tools import HAMMER

HOUR = timedelta(hours=1)


class Title(Form):
    title: Annotated[str, Field(min_length=2)]
    public: bool = False


class Consent(Form):
    ok: bool


@tool(inline_wait=timedelta(seconds=20))
def publish(context: Context, topic: str) -> str:
    """Draft something, ask for a title, then ask whether it may go out."""
    draft = context.step("draft", lambda: f"a draft of {topic}")
    match context.elicit(f"A title for {draft}?", Title, key="title"):
        case Accepted(value=form):
            consent = context.elicit(f"Publish {form.title!r}?", Consent, key="consent")
            return f"{form.title}, of {draft}: {type(consent).__name__}"
        case other:
            return f"{draft} stays in the drawer: {type(other).__name__}"


@tool()
def convene(context: Context) -> str:
    """Ask for three things at once."""
    title, word, folders = context.gather(
        Elicit("What about?", Title, key="title"),
        Sample("Say something.", max_tokens=9, key="word"),
        ListRoots(key="folders"),
    )
    return f"{title.value.title}: {word.text} [{', '.join(root.uri for root in folders)}]"


@tool()
def muse(context: Context) -> str:
    """Sample the client's model, or go on without it."""
    try:
        return context.sample("Say something.", max_tokens=9, key="word").text
    except MissingCapability as error:
        return f"silence, for want of {error.capability}"
    except InputRequestFailed as error:
        return f"silence, since {error.message!r} ({error.code})"


@tool()
def forge(context: Context) -> str:
    """Sample the client's model, with a tool."""
    return context.sample("Build something.", max_tokens=9, tools=[HAMMER], key="word").text


@tool()
def sign_in(context: Context) -> str:
    """Elicit a URL."""
    return type(context.elicit_url("Please sign in.", "https://login.example/a?b=c", key="login")).__name__


@tool()
def list_folders(context: Context) -> str:
    """Ask for the client's folders."""
    return ", ".join(f"{root.name or 'nameless'} at {root.uri}" for root in context.list_roots(key="folders"))


@tool()
def hurry(context: Context, default: bool) -> str:
    """Ask, with a timeout of an hour."""
    more: dict[str, Any] = {"default": Declined()} if default else {}
    return type(context.elicit("Now?", Consent, key="consent", timeout=HOUR, **more)).__name__


@tool()
def quiz(context: Context, questions: int) -> str:
    """Ask one thing after another, without keys."""
    given = [context.elicit(f"Question {number}?", Title) for number in range(questions)]
    return ", ".join(each.value.title for each in given if isinstance(each, Accepted))


@tool(starts_inline=True)
def order(context: Context, what: str) -> str:
    """Ask for consent before there is a task, and for a title within it."""
    draft = context.step("draft", lambda: f"a draft of {what}")
    consent = context.elicit(f"Order {draft}?", Consent, key="consent")
    context.continue_as_task()
    match consent:
        case Accepted(value=form) if form.ok:
            title = context.elicit("In whose name?", Title, key="title")
            name = title.value.title if isinstance(title, Accepted) else "nobody"
            return f"{draft} for {name}"
        case other:
            return f"no {draft}: {type(other).__name__}"


TOOLS = [publish, convene, muse, forge, sign_in, list_folders, hurry, quiz, order]
