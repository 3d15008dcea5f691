"""What API Gateway makes of the server's responses, on AWS: needs a stage's URL.

MCP_URL=... python -m pytest -m live tests/live/test_responses.py
"""

import json
import os
import re
from urllib.parse import urlsplit

import pytest

from local.http_client import HttpClient
from mcp_tasks.wire.http import HttpRequest

pytestmark = pytest.mark.live


def test_a_stranger_is_told_where_to_get_a_token() -> None:
    stranger = HttpClient(os.environ["MCP_URL"])
    reply = stranger.send(HttpRequest(method="POST", headers={"content-type": "application/json"}, body=b"{}"))

    assert reply.status == 401
    challenge = re.search(r'resource_metadata="([^"]+)"', reply.headers["www-authenticate"])
    assert challenge
    found = stranger.get(urlsplit(challenge[1]).path)
    assert found.status == 200
    assert json.loads(found.body)["authorization_servers"]
