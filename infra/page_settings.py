"""The settings of the console: who logs in where."""

import re
from collections.abc import Sequence
from typing import Any

from mcp_tasks.page import CLIENT_ID

ORIGIN = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?")


def check_page(client_id: Any, origins: Sequence[Any]) -> None:
    """Raise `ValueError` for what the page could not be served with; its text says what to write instead."""
    if not isinstance(client_id, str) or not (client_id == "" or CLIENT_ID.fullmatch(client_id)):
        raise ValueError(
            f"page_client_id is the id of a public client at your issuer, of letters, digits and ._~:/?&=%@+- alone, "
            f"not {client_id!r}"
        )
    if isinstance(origins, str):
        raise ValueError(f"page_origins is a list, such as [{origins!r}], not {origins!r}")
    for origin in origins:
        if not isinstance(origin, str) or not ORIGIN.fullmatch(origin):
            raise ValueError(
                f"page_origins has {origin!r}: write an origin as https://login.example.org, without a path or a slash"
            )
