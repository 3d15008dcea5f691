"""A web page of an allowed origin reads what the deployed server answers."""

from tests.protocol.rev_2025_11_25.over_http import Client

ORIGIN = "http://localhost:3000"


def test_a_page_may_read_what_it_is_answered(ada: Client) -> None:
    reply = ada.send_request("ping", origin=ORIGIN)

    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert "Mcp-Session-Id" in reply.headers["access-control-expose-headers"]
