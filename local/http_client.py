"""A transport for the test clients: `HttpRequest`s sent to a URL over a real connection."""

from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit

from mcp_tasks.wire.http import HttpReply, HttpRequest


class HttpClient:
    """Sends requests to a URL, with a token if it has one; threads may share it."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._address = urlsplit(url)
        self._own = {"authorization": f"Bearer {token}"} if token else {}

    def send(self, request: HttpRequest) -> HttpReply:
        """Send a request and return the response."""
        return self._fetch(request.method, self._address.path, self._own | dict(request.headers), request.body)

    def get(self, path: str) -> HttpReply:
        """Fetch another path of the same host."""
        return self._fetch("GET", path, {}, b"")

    def _fetch(self, method: str, path: str, headers: dict[str, str], body: bytes) -> HttpReply:
        kind = HTTPSConnection if self._address.scheme == "https" else HTTPConnection
        connection = kind(self._address.netloc, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            named = {name.lower(): value for name, value in answer.getheaders()}
            if not text:
                # API Gateway calls nothing at all JSON.
                named.pop("content-type", None)
            return HttpReply(status=answer.status, headers=named, body=text)
        finally:
            connection.close()
