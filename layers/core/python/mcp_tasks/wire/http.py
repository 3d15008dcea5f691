"""HTTP as far as the protocol cares: one request in, one reply out."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_tasks.tasks.model import JSON

QUALITY_ZERO = re.compile(r";\s*q=0(\.0*)?\s*(;|$)")

LONE_SURROGATE: Final = re.compile(r"((?:\\\\|\\ud[89ab]..\\ud[c-f]..)++)|\\ud[89a-f]..")
"""One escaped surrogate without the other, or what only looks like it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request; header names are in lower case."""

    method: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def accepts(self, media_type: str) -> bool:
        """Tell whether the client takes an answer of this type; one that does not say takes everything."""
        offered = self.headers.get("accept", "*/*").lower()
        # Quality 0 means "anything but this"; how much more welcome one type is than another does not matter here.
        wanted = (part for part in offered.split(",") if not QUALITY_ZERO.search(part))
        names = {part.partition(";")[0].strip() for part in wanted}
        return bool(names & {media_type, media_type.partition("/")[0] + "/*", "*/*"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A complete answer."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


def json_reply(
    message: Mapping[str, JSON], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpReply:
    """Answer with one JSON-RPC message."""
    headers = {"content-type": "application/json", **(headers or {})}
    return HttpReply(status=status, headers=headers, body=written(message))


def written(message: Mapping[str, JSON]) -> str:
    """Write a message as JSON that every client can read; raises `ValueError` where it holds NaN or infinity.

    Half a character (a lone surrogate) from an adopter's text becomes an question mark: the Python client, for
    one, drops the whole message otherwise.
    """
    text = json.dumps(message, separators=(",", ":"), allow_nan=False)
    return LONE_SURROGATE.sub(lambda found: found[1] or "?", text) if r"\ud" in text else text
