"""A client of revision 2025-11-25 that comes in over HTTP, as everybody's does."""

from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.courier import Courier
from tests.protocol.rev_2025_11_25.client import NEWEST, Speaker

LIVE = ("working", "input_required")


class Visitor(Speaker):
    """A client at a URL, with a token if it has one; several threads may speak through it."""

    def __init__(self, url: str, token: str | None = None, version: str = NEWEST) -> None:
        super().__init__(set(), version)
        self._courier = Courier(url, token)
        self.sent = self._courier.sent
        """The HTTP methods of all requests so far."""

    def exchange(self, request: HttpRequest) -> HttpReply:
        return self._courier.bring(request)

    def get(self, path: str) -> HttpReply:
        """Fetch something else from where the server is."""
        return self._courier.get(path)

    def status(self, task_id: str) -> str:
        """Return where a task stands, in the protocol's words."""
        return str(self.result("tasks/get", taskId=task_id)["status"])

    def is_final(self, task_id: str) -> bool:
        """Tell whether nothing will happen to a task any more."""
        return self.status(task_id) not in LIVE
