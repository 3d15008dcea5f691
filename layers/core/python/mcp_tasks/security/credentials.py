"""Credentials of AWS for what one tenant has of its own."""

from dataclasses import field

from mcp_tasks.records import record


@record
class Credentials:
    """What AWS identifies a session by; only its key is printed."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str | None = field(repr=False)
