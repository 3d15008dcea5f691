"""What the tools of a story ask, and what they return."""

import json
from typing import Any

from mcp_tasks import Accepted, Context, Declined, Form


class Name(Form):
    name: str


def ask(context: Context) -> str | None:
    return name_in(context.elicit("Who?", Name, key="name", default=Declined()))


def name_in(given: Any) -> str | None:
    return given.value.name if isinstance(given, Accepted) else None


def uris(roots: Any) -> list[str]:
    return [root.uri for root in roots]


def said(owner: str, **values: Any) -> str:
    return json.dumps({"owner": owner, **values})
