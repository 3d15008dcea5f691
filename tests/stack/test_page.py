"""The console at the root of the deployed API: API Gateway's own answer, for everybody."""

from urllib.parse import urlsplit

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.page import console, console_headers


def test_the_console_is_at_the_root_as_it_is_in_its_file(stack: Stack) -> None:
    found = HttpClient(stack.url).get(urlsplit(stack.url).path.removesuffix("mcp"))

    assert (found.status, found.body) == (200, console())
    assert found.headers.items() >= console_headers().items()
