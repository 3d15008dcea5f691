"""A tenant that floods a server behind API Gateway, and its neighbours, who call while it does."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from local.http_client import HttpClient
from mcp_tasks.wire.http import HttpReply, HttpRequest

REQUESTS: Final = 200
PING: Final = HttpRequest(
    method="POST",
    headers={"accept": "application/json, text/event-stream", "content-type": "application/json"},
    body=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode(),
)


def beside_a_flood(
    greedy: HttpClient, neighbours: Sequence[HttpClient], *, api_key: str
) -> tuple[list[HttpReply], list[HttpReply]]:
    """Return what a flood was answered, and what neighbours were who called once each in the midst of it.

    The flood names an API key in its headers, which has to change nothing.
    """
    named = replace(PING, headers={**PING.headers, "x-api-key": api_key})
    first = greedy.send(named)
    with ThreadPoolExecutor(8) as eight:
        flood = [eight.submit(greedy.send, named) for _ in range(REQUESTS)]
        flood[REQUESTS // 2].result()
        beside = [each.send(PING) for each in neighbours]
    return [first, *(each.result() for each in flood)], beside
