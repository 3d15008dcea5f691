"""Requests to a URL, over HTTP, as everybody's are."""

from http.client import HTTPConnection
from urllib.parse import urlsplit

from mcp_tasks.wire.http import HttpReply, HttpRequest


class HttpClient:
    """Brings requests to a URL, with a token if it has one; several threads may send it."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._address = urlsplit(url)
        self._own = {"authorization": f"Bearer {token}"} if token else {}

    def send(self, request: HttpRequest) -> HttpReply:
        """Bring a request, and back comes the reply."""
        return self._fetch(request.method, self._address.path, self._own | dict(request.headers), request.body)

    def get(self, path: str) -> HttpReply:
        """Fetch something else from where the URL is."""
        return self._fetch("GET", path, {}, b"")

    def _fetch(self, method: str, path: str, headers: dict[str, str], body: bytes) -> HttpReply:
        connection = HTTPConnection(self._address.netloc, timeout=60)
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
