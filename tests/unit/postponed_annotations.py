"""A sample tool in a module with postponed evaluation of annotations (PEP 563)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from mcp_tasks import Context, tool


@dataclass
class Answer:
    """What it is."""

    text: str


@tool()
def ask(context: Context, question: Annotated[str, Field(max_length=10)], times: int | None = None) -> Answer:
    """Ask."""
    return Answer(text=f"{context.caller.subject}: {question} {times}")
