"""A client of revision 2026-07-28 on the stage: whatever it is sent, it checks."""

from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.protocol.rev_2026_07_28.client import Speaker
from tests.stage.gateway import Gateway


class StagedGuest(Speaker):
    """One caller's client, which can be asked everything."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__()
        self._gateway = gateway

    def exchange(self, request: HttpRequest) -> HttpReply:
        return self._gateway.bring(request)
