"""A client of revision 2026-07-28 that comes in over HTTP."""

from collections.abc import Mapping
from typing import Any

from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.courier import Courier
from tests.protocol.rev_2026_07_28.client import ABLE, Speaker


class Guest(Speaker):
    """A client at a URL, with a token if it has one."""

    def __init__(self, url: str, token: str | None = None, capabilities: Mapping[str, Any] = ABLE) -> None:
        super().__init__(capabilities)
        self._courier = Courier(url, token)

    def exchange(self, request: HttpRequest) -> HttpReply:
        return self._courier.bring(request)
