"""What the tests that save tools share: a tool that asks, so that its task goes on after its code has changed."""

ASK = """
from mcp_tasks import Accepted, Context, Form, tool


class Name(Form):
    name: str


@tool()
def ask(context: Context) -> str:
    '''Ask for a name.'''
    match context.elicit("Who?", Name, key="who"):
        case Accepted(value=answer):
            return f"{WORD}, {answer.name}"
    return "nobody"
"""
"""A module of tools, but for `WORD`, by which a test sees which code has run."""

ANSWER = {"who": {"action": "accept", "content": {"name": "Ada"}}}
"""The input responses that the tool waits for."""
