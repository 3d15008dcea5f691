"""What is noted of a message, of which a client may have made up every word: names that the server knows."""

import re
from collections.abc import Mapping
from typing import Final

from mcp_tasks.features.listing import Features
from mcp_tasks.wire.jsonrpc import Batch, Message, Response

METHOD: Final = re.compile(r"[a-zA-Z_]{1,20}(/[a-zA-Z_]{1,20}){0,2}")
"""What every method of the protocol looks like: which of them a revision has, only that knows."""


def described(features: Features, message: Message | Batch | None) -> Mapping[str, str]:
    """Return the method of a message, and the tool that it names; a reply and a batch are no method's."""
    match message:
        case None:
            return {}
        case Batch():
            return {"method": "batch"}
        case Response():
            return {"method": "response"}
        case _:
            method = message.method if METHOD.fullmatch(message.method) else "unknown"
            name = message.params.get("name") if method == "tools/call" else None
            return {"method": method, **({"tool": name} if isinstance(name, str) and features.tools.find(name) else {})}
