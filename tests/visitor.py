"""A client that comes in over HTTP, as everybody's does."""

from http.client import HTTPConnection
from urllib.parse import urlsplit

from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.protocol.client import NEWEST, Speaker

LIVE = ("working", "input_required")


class Visitor(Speaker):
    """A client at a URL, with a token if it has one; several threads may speak through it."""

    def __init__(self, url: str, token: str | None = None, version: str = NEWEST) -> None:
        super().__init__(set(), version)
        self.sent: list[str] = []
        """The HTTP methods of all requests so far."""
        self._address = urlsplit(url)
        self._own = {"authorization": f"Bearer {token}"} if token else {}

    def exchange(self, request: HttpRequest) -> HttpReply:
        return self._fetch(request.method, self._address.path, self._own | dict(request.headers), request.body)

    def get(self, path: str) -> HttpReply:
        """Fetch something else from where the server is."""
        return self._fetch("GET", path, {}, b"")

    def status(self, task_id: str) -> str:
        """Return where a task stands, in the protocol's words."""
        return str(self.result("tasks/get", taskId=task_id)["status"])

    def is_final(self, task_id: str) -> bool:
        """Tell whether nothing will happen to a task any more."""
        return self.status(task_id) not in LIVE

    def _fetch(self, method: str, path: str, headers: dict[str, str], body: bytes) -> HttpReply:
        self.sent.append(method)
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
