"""A tool for each payload, which has it in every text that a tool controls."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from mcp_tasks import Accepted, Context, EmbeddedResource, Form, Image, McpError, ResourceLink, Titles, Tool, tool
from tests.page.rev_2026_07_28 import inbox_tools
from tests.page.rev_2026_07_28.payloads import PAYLOADS


def asking(payload: str, number: int) -> Tool:
    """Return a tool that asks, and returns what it is attacked with."""
    fields: dict[str, Any] = {
        "said": (str, Field(title=payload, description=payload, default=payload)),
        "chosen": (
            Annotated[Literal["a"], Titles({"a": payload})],
            Field(title=payload, description=payload, default="a"),
        ),
        "several": (list[Annotated[Literal["b"], Titles({"b": payload})]], Field(title=payload, default=["b"])),
    }
    form: type[Form] = create_model(f"Form{number}", __base__=Form, **fields)

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
            ResourceLink(payload, payload),
            EmbeddedResource("x:" + payload, payload, payload),
        ]

    attack.__name__, attack.__doc__ = f"hostile_{number}", payload
    return tool(title=payload, tasks="always")(attack)


def breaking(payload: str, number: int) -> Tool:
    """Return a tool that ends in an error of this text."""

    def broken() -> str:
        raise McpError(4711, payload, {payload: [payload]})

    broken.__name__, broken.__doc__ = f"breaks_{number}", payload
    return tool(title=payload, tasks="always")(broken)


def all_of_them() -> Iterator[Tool]:
    """Yield them all, and an inbox."""
    for number, payload in enumerate(PAYLOADS):
        yield asking(payload, number)
        yield breaking(payload, number)
    yield from inbox_tools.tools(inbox_tools.hostile())


TOOLS = list(all_of_them())
