"""A client of revision 2025-11-25 over HTTP that validates every message it is sent."""

from collections.abc import Mapping

from local.http_client import HttpClient
from mcp_tasks.testing.rev_2025_11_25 import REVISION, Client
from tests.protocol.rev_2025_11_25.checked import Checked

__all__ = ["Client", "client", "server_info"]


def client(url: str, token: str | None = None, *, version: str = REVISION) -> Client:
    """Return a client at a URL, with a token if it has one; several threads may use it."""
    return Client(Checked(HttpClient(url, token).send), version=version)


def server_info(url: str) -> Mapping[str, str]:
    """Return what the server at a URL calls itself."""
    info: Mapping[str, str] = client(url).initialize()["serverInfo"]
    return info
