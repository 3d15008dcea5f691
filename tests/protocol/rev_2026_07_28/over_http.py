"""A client of revision 2026-07-28 over HTTP that validates every message it is sent."""

from collections.abc import Mapping
from typing import Any

from local.http_client import HttpClient
from mcp_tasks.testing.rev_2026_07_28 import ABLE, SERVER, Client
from tests.protocol.rev_2026_07_28.checked import Checked

__all__ = ["Client", "client", "server_info"]


def client(url: str, token: str | None = None, capabilities: Mapping[str, Any] = ABLE) -> Client:
    """Return a client at a URL, with a token if it has one; several threads may use it."""
    return Client(Checked(HttpClient(url, token).send), capabilities)


def server_info(url: str) -> Mapping[str, str]:
    """Return what the server at a URL calls itself."""
    info: Mapping[str, str] = client(url).send_request("server/discover").response["result"]["_meta"][SERVER]
    return info
