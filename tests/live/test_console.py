"""How API Gateway serves the console, on AWS.

Relied on: a mock integration answers with a template of 68 KB as it is, where that has none of Velocity's characters,
and with headers in which quotes stand.
"""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

import pytest

from local.http_client import HttpClient
from mcp_tasks.page import console, console_headers
from tests.live.deployed import Stage

pytestmark = pytest.mark.live

CLIENT_ID: Final = re.compile(r'<meta name="client-id" content="[^"]*">')


def test_the_console_arrives_as_it_is_with_its_policy(any_stage: Stage) -> None:
    found = HttpClient(any_stage.url).get(urlsplit(urljoin(any_stage.url, ".")).path)

    assert found.status == 200
    assert CLIENT_ID.sub("", found.body) == CLIENT_ID.sub("", console())
    policy, own = (headers["content-security-policy"] for headers in (found.headers, console_headers()))
    # Beside its own origin it may fetch from the issuer's.
    assert re.sub(r"(?<='self')[^;]*", "", policy) == own
    others = {name: value for name, value in console_headers().items() if name != "content-security-policy"}
    assert {name: found.headers[name] for name in others} == others
