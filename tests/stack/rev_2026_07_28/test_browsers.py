"""A web page of an allowed origin reads what the deployed server answers."""

from tests.protocol.rev_2026_07_28.over_http import Client

ORIGIN = "http://localhost:3000"


def test_a_page_may_read_what_it_is_answered(client_2026: Client) -> None:
    reply = client_2026.send_request("server/discover", origin=ORIGIN)

    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ORIGIN)
