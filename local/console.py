"""The console on this machine, where nobody has to log in: whoever serves it knows the caller."""

from local.http_server import Head, Reply, refuse
from mcp_tasks.page import console, console_headers


def console_reply(head: Head) -> Reply:
    """Return the page, or the rejection of a method other than GET and HEAD, whose body the server leaves out."""
    if head.method not in ("GET", "HEAD"):
        return refuse(405, "Use GET.", ("allow", "GET, HEAD"))
    return Reply(status=200, headers=[*console_headers().items()], body=console().encode())
