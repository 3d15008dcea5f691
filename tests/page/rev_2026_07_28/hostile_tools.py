"""A tool for each payload, which has it in every text that a tool controls."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import Field, create_model

from mcp_tasks import Accepted, Context, EmbeddedResource, Form, Image, McpError, ResourceLink, Titles, Tool, role, tool
from mcp_tasks.authoring.uris import check_uri
from tests.page.rev_2026_07_28.payloads import PAYLOADS
from tests.page.rev_2026_07_28.people import Ask


def form_of(payload: str, number: int) -> type[Form]:
    """Return a form with the payload wherever a form can have a text."""
    fields: dict[str, Any] = {
        "said": (str, Field(title=payload, description=payload, default=payload)),
        "chosen": (
            Annotated[Literal["a"], Titles({"a": payload})],
            Field(title=payload, description=payload, default="a"),
        ),
        "several": (list[Annotated[Literal["b"], Titles({"b": payload})]], Field(title=payload, default=["b"])),
    }
    return create_model(f"Form{number}", __base__=Form, **fields)


def uri_of(payload: str) -> str:
    """Return the payload where it is a URI that clients can read, and else one that has it: tools can send no other."""
    try:
        check_uri(payload)
    except ValueError:
        return f"https://evil.example/{quote(payload)}"
    return payload


def asking(payload: str, form: type[Form], number: int) -> Tool:
    """Return a tool that asks, and returns what it is attacked with."""

    def attack(
        context: Context, text: Annotated[str, Field(title=payload, description=payload)] = payload
    ) -> list[Any]:
        context.report_status(payload)
        answer = context.elicit(payload, form, key="asked")
        context.report_status(payload)
        return [
            text,
            payload,
            str(isinstance(answer, Accepted)),
            Image(b"GIF89a", f"image/png{payload}"),
            Image(payload.encode(), "image/svg+xml"),
            ResourceLink(uri_of(payload), payload),
            EmbeddedResource(f"x:{quote(payload)}", payload, payload),
        ]

    attack.__name__, attack.__doc__ = f"hostile_{number}", payload
    return tool(title=payload, tasks="always")(attack)


def asking_others(payload: str, form: type[Form], number: int) -> Tool:
    """Return a tool that asks a role of this name, in this text."""
    quoted = f"> {payload}\n>> [{payload}]({payload})\n{'>' * 2_000} {payload}"
    shown = f"# {payload}\n\n{payload}\n\n- {payload}\n\n[{payload}]({payload})\n\n{quoted}\n\n```\n{payload}"

    def approved(context: Context) -> str:
        return type(context.elicit(payload, form, key="asked", of=role(payload), shown=shown)).__name__

    approved.__name__, approved.__doc__ = f"approved_{number}", payload
    return tool(title=payload, tasks="always", approvals=True)(approved)


def breaking(payload: str, number: int) -> Tool:
    """Return a tool that ends in an error of this text."""

    def broken() -> str:
        raise McpError(4711, payload, {payload: [payload]})

    broken.__name__, broken.__doc__ = f"breaks_{number}", payload
    return tool(title=payload, tasks="always")(broken)


def all_of_them() -> Iterator[Tool]:
    """Yield them all."""
    for number, payload in enumerate(PAYLOADS):
        form = form_of(payload, number)
        yield asking(payload, form, number)
        yield asking_others(payload, form, number)
        yield breaking(payload, number)


TOOLS = list(all_of_them())
ASKS: list[Ask] = [(f"approved_{number}", {}) for number in range(len(PAYLOADS))]
