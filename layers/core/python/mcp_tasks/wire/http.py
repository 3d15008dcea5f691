"""HTTP requests and replies, independent of the gateway that carries them."""

import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON

QUALITY_ZERO = re.compile(r";\s*q=0(\.0*)?\s*(;|$)")

# Each repetition takes memory until the match ends, so they are limited.  A possessive one would take none, but Python
# 3.11.2 passes over a surrogate after it.
LONE_SURROGATE: Final = re.compile(r"((?:\\\\|\\ud[89ab]..\\ud[c-f]..){1,1000})|\\ud[89a-f]..")
"""An escaped surrogate without its pair; whole pairs and escaped backslashes match as group 1 and are kept."""


@record
class HttpRequest:
    """A request; header names are in lower case."""

    method: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def accepts(self, *media_types: str) -> bool:
        """Return whether the Accept header allows all these media types; without the header every type is allowed."""
        offered = self.headers.get("accept", "*/*").lower()
        # Quality 0 excludes a type; other quality values do not matter, since there is no choice between types.
        wanted = (part for part in offered.split(",") if not QUALITY_ZERO.search(part))
        names = {part.partition(";")[0].strip() for part in wanted}
        return all(names & {each, each.partition("/")[0] + "/*", "*/*"} for each in media_types)


@record
class HttpReply:
    """A complete response."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


def json_reply(
    message: Mapping[str, JSON], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpReply:
    """Return a reply whose body is one JSON-RPC message."""
    headers = {"content-type": "application/json", **(headers or {})}
    return HttpReply(status=status, headers=headers, body=written(message))


def written(message: Mapping[str, JSON]) -> str:
    """Write a message as JSON that every client can read; raises `ValueError` where it holds NaN or infinity.

    A lone surrogate in a tool's text becomes a question mark: otherwise some clients (the Python SDK's) drop the
    whole message.
    """
    text = json.dumps(message, separators=(",", ":"), allow_nan=False)
    return LONE_SURROGATE.sub(lambda found: found[1] or "?", text) if r"\ud" in text else text
