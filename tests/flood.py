"""A tenant that floods a server behind API Gateway, and its neighbours, who call while it does."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from local.http_client import HttpClient
from mcp_tasks.wire import apigateway
from mcp_tasks.wire.http import HttpReply
from tests.revisions import REVISIONS, module_of

REQUESTS: Final = 200
GREETING: Final = apigateway.request(module_of(REVISIONS[0], "messages").GREETING)
"""A request that needs no session."""


def beside_a_flood(
    greedy: HttpClient, neighbours: Sequence[HttpClient], *, api_key: str
) -> tuple[list[HttpReply], list[HttpReply]]:
    """Return what a flood was answered, and what neighbours were who called once each in the midst of it.

    The flood names an API key in its headers, which has to change nothing.
    """
    named = replace(GREETING, headers={**GREETING.headers, "x-api-key": api_key})
    first = greedy.send(named)
    with ThreadPoolExecutor(8) as eight:
        flood = [eight.submit(greedy.send, named) for _ in range(REQUESTS)]
        flood[REQUESTS // 2].result()
        beside = [each.send(GREETING) for each in neighbours]
    return [first, *(each.result() for each in flood)], beside
